#!/bin/sh
# Prints what a formatter would say; the model reads it.
echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"formatted with two spaces"}}'
