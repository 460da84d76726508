/* The steps of the exchange. */
#include "comm/exchange_internal.h"

#include "core/base/wait.h"
#include "core/registry/call.h"

#include <assert.h>
#include <stdlib.h>

/* ---- set-up ------------------------------------------------------------------------- */

static wabe_status make(wabe_exchange *x, const wabe_exchange_data *data) {
    x->slabs = calloc((size_t)x->partition->mine, sizeof *x->slabs);
    WABE_CHECK(x->slabs, WABE_MEMORY, "no memory for the exchange");
    x->slab_count = x->partition->mine;
    x->field_count = data[0].field_count;
    for (int f = 0; f < x->field_count; f++)
        x->sizes[f] = wabe_type_size(data[0].fields[f].layout.type);
    for (int i = 0; i < x->slab_count; i++) {
        x->slabs[i].component = data[i].component;
        x->slabs[i].stream = data[i].stream;
        x->slabs[i].wraps = data[i].wraps;
        for (int f = 0; f < x->field_count; f++)
            x->slabs[i].fields[f].data = data[i].fields[f];
    }
    return wabe_exchange_plan(x);
}

wabe_status wabe_exchange_create(MPI_Comm comm, const wabe_partition *partition,
                                 const wabe_exchange_data *data,
                                 const wabe_exchange_options *options, wabe_exchange **out) {
    *out = NULL;
    wabe_exchange *x = calloc(1, sizeof *x);
    wabe_status status = wabe_agree_memory(comm, x, "the exchange");
    if (status != WABE_OK) {
        free(x);
        return status;
    }
    x->partition = partition;
    x->options = *options;
    MPI_Comm_dup(comm, &x->comm);
    status = wabe_agree(comm, make(x, data));
    if (status == WABE_OK)
        status = wabe_exchange_connect(x);
    if (status != WABE_OK)
        wabe_exchange_destroy(&x);
    *out = x;
    return status;
}

void wabe_exchange_destroy(wabe_exchange **exchange) {
    wabe_exchange *x = *exchange;
    if (!x)
        return;
    wabe_exchange_disconnect(x);
    free(x->messages);
    free(x->slabs);
    MPI_Comm_free(&x->comm);
    free(x);
    *exchange = NULL;
}

/* ---- leaving ------------------------------------------------------------------------ */

static void start_request(MPI_Request *request) {
    if (*request != MPI_REQUEST_NULL)
        MPI_Start(request);
}

void wabe_exchange_start(wabe_exchange *x, int parity) {
    x->parity = parity;
    for (int i = 0; i < x->slab_count; i++)
        x->slabs[i].is_packed = x->slabs[i].unpacking = false;
    for (int i = 0; i < x->message_count; i++) {
        wabe_exchange_message *m = &x->messages[i];
        m->sent = !m->source || m->send[parity] == MPI_REQUEST_NULL;
        m->received = false;
        if (m->target)
            start_request(&m->receive[parity]);
    }
}

/* The number of the grid that is exchanged; tests take turns. */
static int grid_of(const wabe_exchange *x, const wabe_exchange_field *field) {
    assert(*field->grid == field->grids[0]->data || *field->grid == field->grids[1]->data);
    return x->testing ? x->parity : *field->grid == field->grids[1]->data;
}

static void copy_runs(const wabe_exchange *x, const wabe_exchange_message *m) {
    const wabe_exchange_field *field = &m->source->fields[0].data;
    const int64_t size = (int64_t)x->sizes[0];
    const int grid = grid_of(x, field);
    for (int i = 0; i < m->out.count; i++)
        wabe_stream_copy(m->source->stream, m->target_grids[grid] + m->in.runs[i].place * size,
                         (char *)field->grids[grid]->data + m->out.runs[i].place * size,
                         m->out.runs[i].count * size);
}

/* Copies what devices have packed to where it is sent from; CPUs pack there directly. */
void wabe_exchange_send(wabe_exchange *x, bool devices) {
    const int parity = x->parity;
    for (int i = 0; i < x->message_count; i++) {
        wabe_exchange_message *m = &x->messages[i];
        if (!m->source || wabe_exchange_on_device(m->source) != devices)
            continue;
        if (m->copied)
            copy_runs(x, m);
        if (m->stage_to[parity])
            wabe_stream_copy(m->source->stream, m->stage_to[parity], m->stage_from[parity],
                             m->bytes);
        if (!devices && !m->sent) {
            MPI_Start(&m->send[parity]);
            m->sent = true;
        }
    }
    for (int i = 0; i < x->slab_count; i++) {
        wabe_exchange_slab *s = &x->slabs[i];
        if (wabe_exchange_on_device(s) != devices)
            continue;
        s->is_packed = true;
        if (!devices)
            continue;
        wabe_event_record(s->packed[parity], s->stream);
        if (s->shared[parity])
            wabe_event_record(s->shared[parity], s->stream);
    }
}

static wabe_strides strides_of(const wabe_layout *l) {
    return (wabe_strides){.pitch = l->pitch,
                          .plane = l->plane,
                          .width = (int64_t)l->group * l->components,
                          .group = l->group};
}

static wabe_call pack_call(const wabe_exchange *x, const wabe_exchange_slab *s, int field,
                           wabe_pack_args *args) {
    const wabe_exchange_slab_field *f = &s->fields[field];
    *args = (wabe_pack_args){.field = f->grid,
                             .strides = strides_of(&f->data.layout),
                             .segment_count = f->send.segment_count,
                             .segments = f->send.segments[x->parity],
                             .indices = f->send.indices[x->parity]};
    return (wabe_call){.component = s->component,
                       .kernel = f->data.pack,
                       .args = args,
                       .count = f->send.numbers,
                       .stream = s->stream};
}

/* Packs a field of all slabs on devices, or of the others. */
static void pack(wabe_exchange *x, int field, bool devices) {
    wabe_call calls[WABE_JOBS_MAX];
    wabe_pack_args args[WABE_JOBS_MAX];
    int count = 0;
    for (int i = 0; i < x->slab_count; i++) {
        wabe_exchange_slab *s = &x->slabs[i];
        if (wabe_exchange_on_device(s) != devices)
            continue;
        s->fields[field].grid = *s->fields[field].data.grid;
        calls[count] = pack_call(x, s, field, &args[count]);
        count++;
    }
    wabe_calls_run(count, calls, NULL);
}

static bool any_slab(const wabe_exchange *x, bool devices) {
    for (int i = 0; i < x->slab_count; i++)
        if (wabe_exchange_on_device(&x->slabs[i]) == devices)
            return true;
    return false;
}

void wabe_exchange_begin(wabe_exchange *x, int parity, bool devices, wabe_profile *profile) {
    wabe_profile_start(profile);
    if (devices)
        wabe_exchange_start(x, parity);
    if (!any_slab(x, devices))
        return;
    for (int field = 0; field < x->field_count; field++)
        pack(x, field, devices);
    wabe_profile_stop(profile, WABE_PHASE_pack);
    wabe_exchange_send(x, devices);
    wabe_profile_stop(profile, devices ? WABE_PHASE_copy_out : WABE_PHASE_wait);
}

/* ---- arriving ----------------------------------------------------------------------- */

static wabe_call unpack_call(const wabe_exchange *x, const wabe_exchange_slab *s, int field,
                             wabe_unpack_args *args) {
    const wabe_exchange_slab_field *f = &s->fields[field];
    *args = (wabe_unpack_args){.field = f->grid,
                               .strides = strides_of(&f->data.layout),
                               .segment_count = f->receive.segment_count,
                               .segments = f->receive.segments[x->parity],
                               .mask = f->receive.mask,
                               .indices = f->receive.indices[x->parity]};
    return (wabe_call){.component = s->component,
                       .kernel = f->data.unpack,
                       .args = args,
                       .count = f->receive.numbers,
                       .stream = s->stream};
}

/* Unpacks a field of the slabs that are not on devices. */
static void unpack_on_hosts(wabe_exchange *x, int field) {
    wabe_call calls[WABE_JOBS_MAX];
    wabe_unpack_args args[WABE_JOBS_MAX];
    int count = 0;
    for (int i = 0; i < x->slab_count; i++)
        if (!wabe_exchange_on_device(&x->slabs[i])) {
            calls[count] = unpack_call(x, &x->slabs[i], field, &args[count]);
            count++;
        }
    wabe_calls_run(count, calls, NULL);
}

static bool is_packed(const wabe_exchange *x, const wabe_exchange_slab *slab) {
    return slab->is_packed &&
           (!wabe_exchange_on_device(slab) || wabe_event_is_done(slab->packed[x->parity]));
}

/* May MPI send the message? */
static bool may_leave(const wabe_exchange *x, const wabe_exchange_message *m) {
    return m->is_awaited_by_stream ? m->source->is_packed : is_packed(x, m->source);
}

/* Has the message arrived, as far as the host must know? Between two devices of this process it is
 * enough that packing is queued, since their streams wait for each other; from another process the
 * message says so. */
static bool arrives(wabe_exchange *x, wabe_exchange_message *m) {
    if (m->received)
        return true;
    if (!m->source) {
        int done;
        MPI_Test(&m->receive[x->parity], &done, MPI_STATUS_IGNORE);
        m->received = done;
    } else if (wabe_exchange_on_device(m->source) && wabe_exchange_on_device(m->target)) {
        m->received = m->source->is_packed;
    } else {
        m->received = is_packed(x, m->source);
    }
    return m->received;
}

static bool all_arrive(wabe_exchange *x, const wabe_exchange_slab *slab) {
    bool all = true;
    for (int i = 0; i < x->message_count; i++)
        if (x->messages[i].target == slab)
            all &= arrives(x, &x->messages[i]);
    return all;
}

/* Queues in a device's stream what follows once all of its messages have arrived: copies,
 * unpacking. Nothing follows what was copied to the grid. */
static void deliver(wabe_exchange *x, wabe_exchange_slab *slab, wabe_profile *profile) {
    wabe_profile_stop(profile, WABE_PHASE_wait);
    for (int i = 0; i < x->message_count; i++) {
        const wabe_exchange_message *m = &x->messages[i];
        if (m->target != slab)
            continue;
        if (m->source && m->source != slab && wabe_exchange_on_device(m->source))
            wabe_stream_wait(slab->stream, m->source->packed[x->parity]);
        if (!m->source && m->is_awaited_by_stream)
            wabe_stream_wait(slab->stream, m->packed_there[x->parity]);
        if (m->copy_to[x->parity])
            wabe_stream_copy(slab->stream, m->copy_to[x->parity], m->copy_from[x->parity],
                             m->bytes);
    }
    wabe_profile_stop(profile, WABE_PHASE_copy_in);
    for (int field = 0; field < x->field_count && !x->testing; field++) {
        wabe_unpack_args args;
        const wabe_call call = unpack_call(x, slab, field, &args);
        wabe_calls_run(1, &call, NULL);
    }
    wabe_profile_stop(profile, WABE_PHASE_unpack);
    slab->unpacking = true;
}

/* profile: NULL if something else runs at the same time. */
static bool drive(wabe_exchange *x, wabe_profile *profile) {
    bool pending = false;
    for (int i = 0; i < x->message_count; i++) {
        wabe_exchange_message *m = &x->messages[i];
        if (m->sent)
            continue;
        if (may_leave(x, m)) {
            MPI_Start(&m->send[x->parity]);
            m->sent = true;
        }
        pending |= !m->sent;
    }
    for (int i = 0; i < x->slab_count; i++) {
        wabe_exchange_slab *s = &x->slabs[i];
        if (s->unpacking)
            continue;
        const bool all = all_arrive(x, s);
        pending |= !all;
        if (all && wabe_exchange_on_device(s))
            deliver(x, s, profile);
    }
    return pending;
}

bool wabe_exchange_drive(wabe_exchange *x) { return drive(x, NULL); }

/* MPI_Wait would keep the core, though the receiver may need it. */
static void await_sent(MPI_Request *request, const wabe_progress *others) {
    wabe_wait wait = {0};
    int done;
    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done;
         MPI_Test(request, &done, MPI_STATUS_IGNORE)) {
        if (others)
            others->drive(others->context);
        wabe_wait_go_on(&wait);
    }
}

void wabe_exchange_finish(wabe_exchange *x, const wabe_progress *others, wabe_profile *profile) {
    wabe_wait wait = {0};
    while (drive(x, profile)) {
        if (others)
            others->drive(others->context);
        wabe_wait_go_on(&wait);
    }
    for (int i = 0; i < x->message_count; i++)
        if (x->messages[i].source && x->messages[i].send[x->parity] != MPI_REQUEST_NULL)
            await_sent(&x->messages[i].send[x->parity], others);
}

void wabe_exchange_end(wabe_exchange *x, const wabe_progress *others, wabe_profile *profile) {
    wabe_profile_start(profile);
    wabe_exchange_finish(x, others, profile);
    wabe_profile_stop(profile, WABE_PHASE_wait);
    for (int field = 0; field < x->field_count; field++)
        unpack_on_hosts(x, field);
    wabe_profile_stop(profile, WABE_PHASE_unpack);
}

/* ---- what it amounts to ------------------------------------------------------------- */

int wabe_exchange_messages(const wabe_exchange *x, wabe_transport transport) {
    int count = 0;
    for (int i = 0; i < x->message_count; i++)
        count += x->messages[i].source &&
                 (transport == WABE_TRANSPORT_any || x->messages[i].transport == transport);
    return count;
}

int64_t wabe_exchange_bytes(const wabe_exchange *x, wabe_transport transport) {
    int64_t bytes = 0;
    for (int i = 0; i < x->message_count; i++)
        if (x->messages[i].source &&
            (transport == WABE_TRANSPORT_any || x->messages[i].transport == transport))
            bytes += x->messages[i].bytes;
    return bytes;
}

int wabe_exchange_count(const wabe_exchange *x) { return x->message_count; }

wabe_exchange_route wabe_exchange_route_of(const wabe_exchange *x, int i) {
    const wabe_exchange_message *m = &x->messages[i];
    return (wabe_exchange_route){.from = m->from,
                                 .to = m->to,
                                 .bytes = m->bytes,
                                 .transport = m->transport,
                                 .copied = m->copied};
}

int64_t wabe_exchange_memory(const wabe_exchange *x) { return x->memory; }
