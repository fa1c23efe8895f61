/**
 * The catalogue of everything that can be wrong: one code a mistake, what it means and what to do. Messages carry what,
 * where, what was wanted and the nearest name; docs/reference/errors.md is generated from this table.
 */
import { formatPosition, type Position } from './source.ts';

interface Entry {
  /** What it means, for the reference page. */
  readonly means: string;
  /** What to do about it. */
  readonly fix: string;
}

export const ERRORS = {
  EVENT_UNKNOWN: {
    means: 'The name is not an event of the catalog, an alias of one, `custom.*` or `meta.*`.',
    fix: 'Use the nearest name the message gives, or `custom.<lower_case>` for an event of your own.',
  },
  HOOK_THREW: {
    means: 'The handler of a hook raised an error instead of returning a decision.',
    fix: 'Follow the traceback. What happened to the operation is the `on_error` of the hook.',
  },
  HOOK_TIMEOUT: {
    means: 'A hook did not answer within its `timeout_ms`.',
    fix: 'Make the hook faster or raise its limit. What happened to the operation is the `on_error` of the hook.',
  },
  HOOK_ABORTED: {
    means: 'The operation was aborted while the hook ran.',
    fix: 'Nothing: the caller aborted it.',
  },
  HOOK_INVALID_RETURN: {
    means:
      'A hook returned something its front end does not understand, or a decision it has no power to make.',
    fix: 'Return one of the decisions the front end documents.',
  },
  HOOK_REFUSED: {
    means:
      'A hook cannot be registered: its origin may not listen to that event, its place in the order is no number, or its mode or failure policy is no word of the engine.',
    fix: 'Listen to another event, or register the hook from a file of the project.',
  },
  EMIT_REFUSED: {
    means:
      'A hook emitted an event it may not: only `custom.*`, only while it runs, and only so deep inside one another.',
    fix: 'Emit a `custom.*` event from the handler itself, and break the cycle of events that emit each other.',
  },
  EMIT_BLOCKED: {
    means: 'A hook blocked the event that was emitted.',
    fix: 'The message holds the reason. Catch it where the emitter can go on without.',
  },
  FILE_UNREADABLE: {
    means: 'A file or folder the project should be read from cannot be read, or is not what its name says.',
    fix: 'Repair the link or the permissions, or take the file away. Until then its stand-in blocks.',
  },
  FILE_TOO_LARGE: {
    means: 'An artifact is larger than 1 MiB.',
    fix: 'Split it: one concern a hook.',
  },
  FILE_ENCODING: {
    means: 'An artifact is not valid UTF-8.',
    fix: 'Save it as UTF-8. The message names the first offending byte.',
  },
  FILE_STRAY: {
    means:
      'A file or folder looks like part of the policy, but its name or its place keeps it from being read.',
    fix: 'Rename or move it as the message says, or take it away.',
  },
  POLICY_MISSING: {
    means:
      "No policy folder was found here, in a folder above, in the user's configuration or in /etc/harness.",
    fix: 'Check the folder, or make a policy with `harness init`. Commands that act on decisions (`decide`, `run`, `mcp`) go on without one with `--allow-empty`.',
  },
  INIT_UNFINISHED: {
    means:
      '`harness init` was killed, or failed, before it had written all files: only a part of the policy is in force.',
    fix: 'Run `harness init` again: it finishes what is missing and leaves files that you have changed alone.',
  },
  TRUST_MISSING: {
    means:
      'The folder requests capabilities (programs, modules, servers, keys, addresses) and no person has trusted it. Its sandboxed hooks hold; what needs a capability does not run, and a guard that needs one blocks.',
    fix: 'Read what `harness trust DIR` lists and agree to it, or set `HARNESS_TRUST` to the digest it prints.',
  },
  TRUST_FAILED: {
    means: 'The record of the trust in a folder cannot be read or written.',
    fix: 'Make the folder that the message names your own and close it to others (`chmod 700`), or set `HARNESS_TRUST`.',
  },
  VARIABLE_UNLISTED: {
    means:
      'A project names a variable of the environment that neither the user nor the machine lets projects name.',
    fix: "List it under `environment.name` in the user's harness.md (`~/.config/harness/harness.md`).",
  },
  LAYER_REFUSED: {
    means: 'A policy folder is not read because somebody else owns it or can write to it.',
    fix: 'Make yourself or root its owner and take write permission from others.',
  },
  LAYER_BROKEN: {
    means: 'A policy folder cannot be opened. Whatever it may guard is blocked.',
    fix: 'Make it a readable folder, or take it away.',
  },
  PACK_UNKNOWN: {
    means: '`use:` or `exceptions:` names a pack or a rule that does not exist.',
    fix: 'Use the nearest name the message gives; `harness packs` lists them. Until then a stand-in for what `use:` names blocks.',
  },
  PACK_INVALID: {
    means: 'A pack of rules from elsewhere cannot be read, is not pinned, or is not the one that was pinned.',
    fix: 'Look at what changed, then write the digest the message gives. Until then its stand-in blocks.',
  },
  PACK_EXAMPLE: {
    means: 'A rule does not do what its examples say, or suggests a command that another rule refuses.',
    fix: 'Change the rule or the example.',
  },
  EXCEPTION_INVALID: {
    means: 'An exception from a rule cannot be understood, so it does not count.',
    fix: 'Write the day as `2026-12-31`, and a reason.',
  },
  GUARD_MAY_BE_OFF: {
    means: 'Under some condition the hook does not answer, and the operation goes on without it.',
    fix: 'Set `strict: true` in harness.md, or `on_error: block` and `on_when_error: block` on the hook.',
  },
  HOOK_WITHOUT_SCRIPT: {
    means: 'The hook has no script: it is a placeholder that allows everything. An error in a strict policy.',
    fix: 'Write its `script`, or take the file away.',
  },
  GUARD_LOOSENED: {
    means: 'A hook says `on_error: allow` below a layer that is strict. It is not followed.',
    fix: 'Take `on_error: allow` away, or ask the owner of the strict layer.',
  },
  PROJECT_EMPTY: {
    means: 'The folder holds no hook of any kind, so every event is allowed.',
    fix: 'Check the folder, or make a first policy with `harness init`.',
  },
  FRONTMATTER_MISSING: {
    means: 'The file does not start with a line of exactly three dashes.',
    fix: 'Put the fields between two `---` lines at the top of the file.',
  },
  FRONTMATTER_UNCLOSED: {
    means:
      'No second `---` line closes the frontmatter, or a line of dashes inside a script closes it too early.',
    fix: 'Close it with `---` on a line of its own; indent dashes that belong to a script like the rest of it.',
  },
  YAML_INVALID: {
    means: 'The frontmatter is not valid YAML, or uses a part of YAML that artifacts may not use.',
    fix: 'Correct the line the message names. Quote expressions that begin with a quote or hold `: `.',
  },
  FIELD_TYPE: {
    means: 'A field holds a value of another type, outside its range or not among its choices.',
    fix: 'Write what the message wants.',
  },
  FIELD_MISSING: {
    means: 'A required field is missing or empty.',
    fix: 'Add it.',
  },
  FIELD_UNKNOWN: {
    means: 'The field is not part of the schema and is ignored.',
    fix: 'Use the nearest name the message gives, or take the field away.',
  },
  FIELD_UNREAD: {
    means:
      'The field guards something in the program whose format this is, and Harness does not read it: what it forbids is not forbidden.',
    fix: 'Write the same as the message says, then take the field away or leave it to that program.',
  },
  TEST_INVALID: {
    means: 'A test case cannot be run: it expects nothing, or its event, clock or pattern is not one.',
    fix: 'Correct the case: a test that is not run proves nothing.',
  },
  PRIORITY_MISSING: {
    means: 'The hook states no priority, so it has 0 and runs before all others.',
    fix: 'State a priority: 1-9 audit, 10-19 hard policy, 20-29 soft policy, 30-39 meta, 40 and up shaping.',
  },
  SCRIPT_INVALID: {
    means: 'The script does not compile, or fails while its top level runs.',
    fix: 'Correct the line the message names.',
  },
  SCRIPT_HANDLE: {
    means: 'The script has no top-level function `handle(event, payload)`.',
    fix: 'Name the entry point `handle` and give it the two parameters.',
  },
  POLICY_RULE: {
    means: 'A hook on `meta.validate`, a rule about the policy itself, objects to it.',
    fix: 'The message holds its reason; change the policy, or the rule.',
  },
  SCRIPT_RUN: {
    means: 'The script of a tool has no top-level function `run(args)`.',
    fix: 'Name the entry point `run` and give it one parameter.',
  },
  TOOL_NAME: {
    means: 'A tool has a name that model providers refuse.',
    fix: 'Use 1 to 64 letters, digits, `_` and `-`.',
  },
  TOOL_DUPLICATE: {
    means: 'Two tools have the same name.',
    fix: 'Rename one of them. Until then the one the message names is offered.',
  },
  TOOL_UNDESCRIBED: {
    means: 'A tool has no description, so the model can only guess what it is for.',
    fix: 'Say it in the text below the frontmatter, or in `description` where the tool stands in a list.',
  },
  TOOL_PARAMETERS: {
    means: 'The `parameters` of a tool are neither a table of parameters nor a JSON Schema of an object.',
    fix: 'Write what the message wants.',
  },
  TOOL_PATTERN: {
    means: 'A pattern of `tools_policy` names no tool of the project, or can have no effect.',
    fix: 'Use the nearest name the message gives, or take the pattern away.',
  },
  CONFIG_INVALID: {
    means: 'A setting of `harness.md` is well formed but does not make sense.',
    fix: 'Write what the message wants.',
  },
  MCP_FAILED: {
    means: 'An MCP server could not be started, reached or understood, so its tools are not offered.',
    fix: 'The message holds the reason. Try the command of the server by itself.',
  },
  MCP_MISSING: {
    means: 'The project names MCP servers and the package that speaks to them is not installed.',
    fix: 'Run `npm install @modelcontextprotocol/client`.',
  },
  WHEN_INVALID: {
    means:
      'The condition is not a Starlark expression over `event` and `payload`, or uses a built-in with an effect.',
    fix: 'Correct the expression; work with effects belongs into `handle`.',
  },
  HOOK_DUPLICATE: {
    means:
      'Two hooks of one folder have the same name. Both are in force; in traces only their source tells them apart.',
    fix: 'Rename one of them, or delete the one that is not wanted.',
  },
  HOOK_NOT_LOADED: {
    means:
      'A hook could not be loaded; its stand-in fails each time it is asked, so that the guard is not silently off.',
    fix: 'Run `harness validate` and repair the file.',
  },
  HOOK_LIMIT: {
    means: 'A hook used more steps, memory or call depth than its limits allow.',
    fix: 'Make the hook do less. What happened to the operation is the `on_error` of the hook.',
  },
  BUNDLE_INVALID: {
    means: 'A bundle under `.harness/{plugins,builtins,overrides}/` breaks a rule of its kind.',
    fix: 'Correct what the message names.',
  },
  VERSION_TOO_OLD: {
    means:
      'A policy says in `requires` that it wants a newer version of Harness, or what it says there is no version.',
    fix: 'Install the newer version: `npm install -D harness-hooks@latest`, then `npx harness-hooks install AGENT`.',
  },
  SANDBOX_UNAVAILABLE: {
    means:
      'A sandbox is asked for and cannot be made: bubblewrap is missing or may not work here, or a path it was told of cannot be held. Nothing runs without it.',
    fix: 'Follow the message; `harness doctor` says what the machine offers. Or take `sandbox:` away, which is a decision for a person.',
  },
  SANDBOX_FAILED: {
    means: 'The sandbox of one program did not come to stand, or the program is not in it. It has not run.',
    fix: 'The message is that of bubblewrap. A program from a folder that is not seen inside wants `readable`.',
  },
  COMMAND_MISSING: {
    means: 'The script or program of a command hook does not exist.',
    fix: 'Correct the path: it is relative to the project. What happened to the operation is the `on_error` of the hook.',
  },
  COMMAND_NOT_EXECUTABLE: {
    means:
      'The script of a command hook may not be executed, and its name does not tell which interpreter it is for.',
    fix: 'Run `chmod +x` on it.',
  },
  COMMAND_NO_INTERPRETER: {
    means: 'The interpreter a script names in its first line is not on this machine.',
    fix: 'Install it, or name another one in the first line of the script.',
  },
  COMMAND_NO_TS_RUNNER: {
    means:
      'A hook is written in TypeScript for Bun alone, or the part of this package that takes out types is missing.',
    fix: 'Install bun, or use what Node has too; if the package is damaged, install it again.',
  },
  COMMAND_NOT_STARTED: {
    means: 'The operating system refused to start the program of a command hook.',
    fix: 'The message holds its reason.',
  },
  COMMAND_EXIT: {
    means: 'A command hook ended with an exit code that is no decision.',
    fix: 'Let the script exit with 0 to go on or with 2 to block; anything else counts as broken.',
  },
  COMMAND_SIGNAL: {
    means: 'A command hook was killed by a signal before it answered.',
    fix: 'Find out who sent it: a crash, the memory limit of the system, or a person.',
  },
  COMMAND_OUTPUT_TOO_LARGE: {
    means: 'A command hook wrote more than is kept of its output, so its answer is not whole.',
    fix: 'Write the answer alone to stdout, and logs to a file.',
  },
  COMMAND_BAD_JSON: {
    means: 'The stdout of a command hook begins like JSON and is not one whole JSON object.',
    fix: 'Print one object and nothing else to stdout; text for people belongs on stderr.',
  },
  COMMAND_BAD_UTF8: {
    means: 'The stdout of a command hook is not UTF-8.',
    fix: 'Write UTF-8.',
  },
  JSON_INVALID: {
    means: 'A settings file is not JSON.',
    fix: 'Correct the place the message names. JSON has no comments and no comma after the last item.',
  },
  FIELD_REPEATED: {
    means: 'A key is written twice in one object; only the last one counts.',
    fix: 'Put both into one.',
  },
  MATCHER_INVALID: {
    means: 'A matcher asks for something that can never hold, or is not a regular expression.',
    fix: 'Ask for fields the event has. Regular expressions are RE2: no look-around, no back-references.',
  },
  HANDLER_UNSUPPORTED: {
    means: 'A hook is of a kind that this program does not run, so it fails each time it is asked.',
    fix: 'Write it as a command.',
  },
  HEADER_MISMATCH: {
    means: 'The documentation header of a script says something else than the file that registers it.',
    fix: 'Correct one of them. The registration counts.',
  },
  PATTERN_INVALID: {
    means: 'The pattern of a hook is broken, so it can never match.',
    fix: 'Correct the pattern. Regular expressions are RE2: no look-around, no back-references.',
  },
  PAYLOAD_KEY: {
    means:
      'A script reads a key that the payload of its event does not have, so what it guards is not guarded.',
    fix: 'Use the nearest key the message gives; `docs/reference/events/` lists those of each event. For a key that your own host adds: `# harness: ignore PAYLOAD_KEY reason`.',
  },
  DICT_ATTRIBUTE: {
    means: 'A script asks a dict for an attribute, which raises.',
    fix: 'Write `payload["name"]`, or `payload.get("name")` for a key that may be missing.',
  },
  PAYLOAD_FROZEN: {
    means: 'A script changes the payload itself, which raises: other hooks read the same one.',
    fix: 'Change a copy, `copy = dict(payload)`, and return `modify(copy)`.',
  },
  DECISION_DROPPED: {
    means: 'A script makes a decision and does not return it, so that it has no effect.',
    fix: 'Write `return` before it.',
  },
  RETURN_MISSING: {
    means:
      'A handler can end without a decision. That counts as allow, with a warning each time, and under `strict` as a block.',
    fix: 'Finish every way through the handler with `return allow()`.',
  },
  RETURN_TYPE: {
    means: 'A handler returns something that is no decision. It counts as allow, under `strict` as a block.',
    fix: 'Return `allow()`, `block("why")`, `ask("why")` or `modify(payload)`.',
  },
  DECISION_IGNORED: {
    means: 'The event of the hook does not act on the decision the script returns.',
    fix: 'Listen to an event that does: `docs/reference/events/` says what each one honours.',
  },
  CONDITION_CONSTANT: {
    means: 'A condition never holds or always does, whatever the payload.',
    fix: 'Compare what the message names with something it can be, or take the condition away.',
  },
  TOOL_UNKNOWN: {
    means:
      'A hook asks for a tool by a name that no tool of the project and of no known agent has, or that none of the agent has which --target names.',
    fix: 'Use the nearest name the message gives. For a tool that comes from elsewhere: `# harness: ignore TOOL_UNKNOWN reason`.',
  },
  GUARD_SHADOWED: {
    means: 'A hook never runs, because one before it in the chain blocks everything it would see.',
    fix: 'Give it a lower `priority` than the one the message names, or take one of them away.',
  },
  GUARD_UNTESTED: {
    means:
      'A hook can block or ask, and no test names it or makes it run: it was never seen to stop anything.',
    fix: 'Add a case under `tests:` of the hook or in `.harness/tests/`; `docs/guide/testing.md` shows how. Where a test makes no sense: `# harness: ignore GUARD_UNTESTED reason` in its file.',
  },
  BUILTIN_MEMBER: {
    means: 'A module or a value has no member of that name, so the script raises there.',
    fix: 'Use the name the message gives; `docs/reference/builtins.md` lists them all.',
  },
  BUILTIN_CALL: {
    means: 'A built-in is called with arguments it does not take, so the script raises there.',
    fix: 'Call it as the signature in the message says.',
  },
  IGNORE_INVALID: {
    means: 'A comment `# harness: ignore CODE reason` names no code of this table, or gives no reason.',
    fix: 'Write the code of the finding and why it is right here.',
  },
  REGISTRATION_INVALID: {
    means: 'A function that registers a hook was called with something it does not understand.',
    fix: 'Write what the message wants.',
  },
  REMINDER_BODY: {
    means: 'A reminder has no `body`, or one that is blank or no text.',
    fix: 'Say in `body` what the model should know.',
  },
  REMINDER_KEY: {
    means: 'A reminder has a key that reminders do not have.',
    fix: 'Use the nearest name the message gives, or take the key away.',
  },
  REMINDER_FIELD: {
    means: 'A field of a reminder holds a value of another type, outside its range or not among its choices.',
    fix: 'Write what the message wants.',
  },
  REMINDER_PROPAGATE: {
    means: 'The `propagate` of a reminder is none of `all`, `session` and `none`.',
    fix: 'Use `all` for sub-agents at any depth, `session` for direct ones only, `none` for this agent alone.',
  },
  REMINDER_PROVIDER: {
    means: 'A reminder provider cannot be registered: its id is taken, or there are eight already.',
    fix: 'Remove a provider first, or let one provider say both things.',
  },
  SESSION_CONFIG: {
    means: 'A setting of a session is unknown or holds a value it cannot have.',
    fix: 'Write what the message wants, or use the nearest name it gives.',
  },
  TENANT_INVALID: {
    means: 'A tenant has a name that cannot be one, or was given the store of another.',
    fix: 'Use a name of lower-case letters, digits, `.`, `_` and `-`, and a store for each.',
  },
  ACTOR_INVALID: {
    means:
      'The host did not say completely for whom an agent works, or which agent it is: a field is missing or is not what it should be.',
    fix: 'Give an actor with `id`, and `email`, `tenant`, `tier` as texts and `scopes` as a list of texts; a caller with `name`, `depth`, `chain` and `parent_session_id`; or nothing at all.',
  },
  CANNOT_JUDGE: {
    means: 'An agent of a framework has a tool or another part whose calls the policy cannot judge.',
    fix: 'Take the part out, give it as the message says, or name it in `accept`; then the tape says that it is not judged.',
  },
  PROVIDER_MISSING: {
    means: 'The model of the session is behind a service whose SDK is not installed.',
    fix: 'Run the `npm install` that the message gives.',
  },
  PROVIDER_KEY: {
    means: 'The environment variable that should hold the key of a model service is not set, or empty.',
    fix: 'Set the variable the message names, or name another one in `api_key_env`.',
  },
  MODEL_SERVER: {
    means:
      'The scripted model server cannot start: its script has a mistake, its port is taken or its record cannot be written.',
    fix: 'Correct what the message names; port 0 is always a free one.',
  },
  SESSION_BUSY: {
    means: 'A prompt was sent to a session that is still answering another.',
    fix: 'Wait for the `result` of the run, abort it, or use a second session.',
  },
  SESSION_CLOSED: {
    means: 'A prompt was sent to a session after `close()`.',
    fix: 'Make a new session; give it the `messages` of the old one to go on with its conversation.',
  },
  SESSION_NOT_STARTED: {
    means:
      'A hook of `session.start` failed under `on_error: throw`, or the session was aborted while it ran.',
    fix: 'The message holds the reason.',
  },
  PIPELINE_VETOED: {
    means:
      'A hook tried to stop a pipeline from finishing, or failed while it finished under `on_error: throw`.',
    fix: 'Watch `finish.pre`, do not answer it: what must not be returned is stopped before it is made.',
  },
  PIPELINE_FINISH: {
    means: 'The finish callback of a pipeline threw, took too long or returned what is no JSON.',
    fix: 'The message holds the reason. The callback is not called again.',
  },
  PIPELINE_ABORTED: {
    means: 'A pipeline was aborted before it had finished.',
    fix: 'Nothing: the signal of the caller asked for it.',
  },
  WORKER_STATE: {
    means: 'A worker was told to do what it cannot in its state, such as to resume while it runs.',
    fix: 'Look at `state` first.',
  },
  RECEIPT_INVALID: {
    means: 'A maintenance job was queued with something it cannot have.',
    fix: 'Write what the message wants.',
  },
  DELEGATION_REFUSED: {
    means:
      'A sub-agent was not started: there is no such agent, the request makes no sense, or agents are too deep inside one another.',
    fix: 'Write what the message wants, or raise `delegation.max_depth` in `harness.md`.',
  },
  DELEGATION_BLOCKED: {
    means: 'A hook blocked a delegation, or what came of it.',
    fix: 'The message holds the reason and the name of the hook.',
  },
  DELEGATION_FAILED: {
    means: 'A sub-agent did not come to an answer: it ran into a limit, was aborted or failed.',
    fix: 'The message says how it ended.',
  },
  DELEGATION_CYCLE: {
    means: 'Hooks delegate in a circle: a request came up a second time in one chain.',
    fix: 'Let the hook look at `parent_id`, `agent` or the answer before it delegates.',
  },
  DELEGATION_BUDGET: {
    means: 'One delegation led to another more often than a chain may.',
    fix: 'Let the hooks come to an end sooner.',
  },
  VERIFICATION_FAILED: {
    means: 'The answer of a sub-agent was not accepted, however often it was asked again.',
    fix: 'The message holds what was still wrong. Give more tries with `max_verify_retries`.',
  },
  VERIFIER_BROKEN: {
    means: 'The check of an answer failed itself, so that nothing is known about the answer.',
    fix: 'Correct the `verify` script: it returns `{"verified": bool, "reason": text}`, or a bare bool.',
  },
  AGENT_NAME: {
    means: 'A sub-agent has a name it may not have, or there are two of that name.',
    fix: 'Use 1 to 64 lower-case letters, digits, `_` and `-`, beginning with a letter.',
  },
  AGENT_PROMPT: {
    means: 'A sub-agent has no text below its frontmatter, and so no instructions.',
    fix: 'Say there what the sub-agent is and what it should do.',
  },
  META_REFUSED: {
    means: 'An agent wanted to change itself in a way that is not open to it.',
    fix: 'The message says which rule or limit stands in the way; `meta` in `harness.md` holds the settings.',
  },
  META_BLOCKED: {
    means: 'A hook blocked what an agent wanted to do to itself.',
    fix: 'The message holds the reason and the name of the hook.',
  },
  STEP_DENIED: {
    means: 'A hook denied a step of a persona: it did not run, or its output was held back.',
    fix: 'The error holds the reason, the event and the name of the hook.',
  },
  STEP_FAILED: {
    means: 'A hook of a step or a persona failed, or rewrote a step to something it cannot be.',
    fix: 'Correct the hook that the message names.',
  },
  PERSONA_PAUSED: {
    means: 'A persona stayed paused for longer than it may.',
    fix: 'Call `resume()`, or give `maxPauseMs` more time.',
  },
  PERSONA_CONFIG: {
    means: 'A persona or a step was made with something it cannot have.',
    fix: 'Write what the message wants.',
  },
  HOOK_CONFIG: {
    means: 'A hook of `agent.json` asks for something a profile may not have, or not here.',
    fix: 'Write what the message wants. A profile may watch, guard and ask; it may never rewrite.',
  },
  HOOKS_DISABLED: {
    means: 'The operator has switched off the hooks of `agent.json` with `HARNESS_DISABLE_HOOKS=1`.',
    fix: 'Unset the variable to have them back.',
  },
  COMMAND_HOOKS_OFF: {
    means: 'A `command` of `agent.json` would run, but the operator of this machine has not agreed to that.',
    fix: 'Read the command, then set `HARNESS_ALLOW_COMMAND_HOOKS=1`. Until then what it guards is blocked.',
  },
  WEBHOOK_FAILED: {
    means: 'A webhook could not be posted, or was not answered with a 2xx. The operation went on.',
    fix: 'Check the address, and the list in `HARNESS_HOOK_WEBHOOK_ALLOWLIST` if there is one.',
  },
  SAVE_FAILED: {
    means: 'A `save_json` could not write its line. The operation went on.',
    fix: 'Give it a path below the folder of `agent.json` that no link leads out of.',
  },
  APPROVAL_FAILED: {
    means: 'The channel that asks a person failed or gave no answer, which counts as a no.',
    fix: 'Repair the channel; the message holds its reason.',
  },
  TOML_INVALID: {
    means: 'A manifest is not TOML.',
    fix: 'Correct the place the message names.',
  },
  HANDLER_INVALID: {
    means:
      'The `handler` of a manifest hook is not `module::function`, or there is no such module or function.',
    fix: 'Name a public function of a `.star`, `.ts`, `.js` or `.mjs` file beside `harn.toml`.',
  },
  TAPE_WRITE_FAILED: {
    means: 'The tape could not be written: the disk is full, the file is gone or the system refused.',
    fix: 'The message holds the reason. What was acknowledged before is still whole; make room and start a new tape.',
  },
  RECORD_CHANGED: {
    means:
      'A tape or transcript was deleted, moved, replaced, cut or added to while a session was writing it. Nothing is decided unrecorded, so the session ends.',
    fix: 'Find out what touched it: the last calls on the record say what ran. Keep what is left as evidence and start a new session.',
  },
  TAPE_LOCKED: {
    means: 'Another process is writing this tape, or one that cannot be seen from here may be.',
    fix: 'Wait for it, or use another file. The message names the process and the time; if that process has ended, remove the `.lock` file.',
  },
  TAPE_INVALID: {
    means:
      'The file is not a tape, is the tape of another session, or has a break in its chain that no crash explains.',
    fix: 'Run `harness tape verify` to see where. Only a torn tail can be repaired: a line that was not written to its end, or what a loss of power left as zero bytes.',
  },
  TAPE_CLOSED: {
    means: 'An entry was appended to a tape after it was closed.',
    fix: 'Open the tape again to go on with it.',
  },
  TAPE_KEY: {
    means: 'A key for signing tapes cannot be read, is not an Ed25519 key, or is in the way of a new one.',
    fix: 'Make a pair with `harness tape keygen PATH`: PATH signs, PATH.pub verifies.',
  },
  HUB_STORE: {
    means: 'The store of a hub cannot be opened or holds a segment that cannot be read.',
    fix: 'Follow the message. `harness hub check` names every tape that is not whole.',
  },
  HUB_SCHEMA: {
    means: 'The database of a hub was made by another version of this program.',
    fix: 'An older one is brought up to date by `harness hub migrate`; for a newer one install the newer version.',
  },
  HUB_BUSY: {
    means: 'Another process has the folder of the hub.',
    fix: 'Use the running hub, or end it. Several hubs need one database: `--db postgres://…`.',
  },
  HUB_ADDRESS: {
    means: 'The hub cannot listen there.',
    fix: 'The hub speaks plain HTTP on loopback only. Choose a free port; a proxy in front brings TLS and other addresses.',
  },
  FLEET_NOT_JOINED: {
    means: 'This machine belongs to no hub, or its fleet folder cannot be read.',
    fix: 'Make a token where the hub runs (`harness hub token --join`), then here: `harness fleet join URL --token T`.',
  },
  FLEET_REFUSED: {
    means: 'The hub refused a request of this machine.',
    fix: 'The message says why and what to do.',
  },
  FLEET_UNTRUSTED: {
    means:
      'A policy that a hub served was not taken: it is not signed as it must be, older than the one here, or damaged.',
    fix: 'The last verified policy stays in force. Follow the message; `harness fleet status` shows since when.',
  },
  FLEET_UNREACHABLE: {
    means: 'The hub did not answer. Tapes wait in their files; decisions are not affected.',
    fix: 'Nothing is lost. Check the address with `harness fleet status`, then `harness fleet agent --once`.',
  },
  STORE_FAILED: {
    means:
      'What a run remembers between processes could not be read or written: no room, no right to, a damaged file, or a folder that others can write.',
    fix: 'The message holds the reason. A guard that needs it denies until it is mended; a damaged file of the folder may be taken away.',
  },
  STORE_BUSY: {
    means: 'Another process held a part of the run state for too long.',
    fix: 'Try again. If it stays so, the message names the process.',
  },
  STORE_LIMIT: {
    means: 'A key, a value, a limit or an amount that a store of run state does not take.',
    fix: 'The message says what it takes.',
  },
  REPLAY_RANGE: {
    means: 'A replay was asked to end before the first entry of the tape.',
    fix: 'Give `--at` the number of an entry; `harness tape show` lists them.',
  },
} satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof ERRORS;

/** Something wrong in a file or a setting, found without running it. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly code: ErrorCode;
  readonly message: string;
  readonly position: Position | null;
  /** The text of the line the position is on, for an excerpt with a caret. */
  readonly excerpt?: string;
  /** Whose file it is: each layer of a policy has a folder of its own, and paths are relative to it. */
  readonly layer?: string;
}

/** Programmer and usage errors: thrown, never returned by a hook. */
export class HarnessError extends Error {
  readonly code: ErrorCode;
  readonly position: Position | null;

  constructor(code: ErrorCode, message: string, position: Position | null = null) {
    super(position === null ? message : `${formatPosition(position)}: ${message}`);
    this.name = 'HarnessError';
    this.code = code;
    this.position = position;
  }
}
