#!/bin/sh
# Hook: LoadContext
# Event: SessionStart
# Description: Tells the model which branch the work is for.
echo "The current branch is feature/search. Changes go there."
