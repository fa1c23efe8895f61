import { describe, expect, it } from 'vitest';
import { homeFolder, userFolder } from './places.ts';

const machine = (variables: Record<string, string>) => ({ env: (name: string) => variables[name] });

describe('the folders of a user', () => {
  it.each([
    ['stand in the home', { HOME: '/home/ada' }, '/home/ada/.config/harness'],
    ['stand where a variable says', { HOME: '/home/ada', XDG_CONFIG_HOME: '/etc/ada' }, '/etc/ada/harness'],
    [
      'are not moved into a project',
      { HOME: '/home/ada', XDG_CONFIG_HOME: '.' },
      '/home/ada/.config/harness',
    ],
    ['need no home then', { XDG_CONFIG_HOME: '/etc/ada' }, '/etc/ada/harness'],
    ['are nowhere without either', { HOME: '' }, null],
  ])('%s', (_what, variables, wanted) => {
    expect(userFolder(machine(variables), 'config')).toBe(wanted);
  });

  it('are told apart by what is in them', () => {
    const ada = machine({ HOME: '/home/ada' });
    expect([
      userFolder(ada, 'state'),
      userFolder(ada, 'data'),
      userFolder(ada, 'cache'),
      homeFolder(ada),
    ]).toEqual([
      '/home/ada/.local/state/harness',
      '/home/ada/.local/share/harness',
      '/home/ada/.cache/harness',
      '/home/ada',
    ]);
  });
});
