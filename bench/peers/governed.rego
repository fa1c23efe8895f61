package governed

import rego.v1

dangerous := ["rm -rf /", ":(){ :|:& };:", "mkfs", "dd if=", "shutdown"]

paths := {"read_file", "write_file", "edit_file"}

writes := {"write_file", "edit_file"}

decision := "command_guard" if {
	input.name == "run_command"
	some d in dangerous
	contains(input.args.command, d)
} else := "path_guard" if {
	paths[input.name]
	leaves(input.args.path)
} else := "prefer_named_tools" if {
	input.name == "exec"
} else := "meta_tool_guard" if {
	writes[input.name]
	startswith(input.args.path, ".harness/")
} else := "allow"

leaves(path) if startswith(path, "/")

leaves(path) if ".." in split(path, "/")
