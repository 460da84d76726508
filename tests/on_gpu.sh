#!/usr/bin/env bash
# tests/on_gpu.sh COMMAND...: runs it where there is a GPU. To start processes that find none takes seconds.
if ! compgen -G '/dev/nvidia[0-9]*' >/dev/null && [[ ! -e /dev/dxg ]]; then
    echo "skipped: there is no device file of a GPU"
    exit 77
fi
exec "$@"
