export interface Project {
  readonly name: string;
  readonly version: string;
}

export const project: Project = { name: 'MyApp', version: 'v2.3.1' };
