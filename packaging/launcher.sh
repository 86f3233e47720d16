#!/bin/sh
# Starts the program in this folder's parent with the Node.js beside it; also through symbolic links.
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=${self%/*}/$target ;;
  esac
done
here=${self%/*}/..
# Hints name the program as it was typed.
ATHLETE_SYNC_NAME=${self##*/} exec "$here/node" "$here/dist/main.cjs" "$@"
