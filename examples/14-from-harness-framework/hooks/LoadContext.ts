#!/usr/bin/env bun
// Hook: LoadContext
// Event: SessionStart
// Description: Tells the model where the project stands
import { project } from "./lib/project";

console.log(`Current project: ${project.name} (${project.version})`);
process.exit(0);
