#include "core/registry/call.h"

static void run_piece(void *context, int64_t begin, int64_t end) {
    const wabe_call *call = context;
    call->kernel->run(call->args, call->first + begin, call->first + end);
}

static void launch(const wabe_call *call) {
    if (call->after)
        wabe_stream_wait(call->stream, call->after);
    if (call->begun)
        wabe_event_record(call->begun, call->stream);
    if (call->count > 0)
        wabe_stream_launch(call->stream, call->kernel, call->args, call->first,
                           call->first + call->count);
    if (call->done)
        wabe_event_record(call->done, call->stream);
}

void wabe_calls_run(int count, const wabe_call *calls, const wabe_progress *progress) {
    wabe_job jobs[WABE_JOBS_MAX];
    int job_count = 0;
    for (int i = 0; i < count; i++) {
        if (calls[i].component->device)
            launch(&calls[i]);
        else if (calls[i].count > 0)
            jobs[job_count++] = (wabe_job){.component = calls[i].component,
                                           .count = calls[i].count,
                                           .work = run_piece,
                                           .context = (void *)&calls[i]};
    }
    wabe_team_run(job_count, jobs, progress);
}
