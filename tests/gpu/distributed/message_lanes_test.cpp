/* Messages of values that have changed (partition/message.cuh), as they stand, on CPU threads (cuda_lanes.h): whatever
** they have room for, and however blocks come, ghosts get each value that differs once, by one message or by one more of the
** right length. */
#include "cuda_lanes.h"

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wextra"
#include "distributed/partition/message.cuh"

extern "C" {
#include "expect.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"
}

static void run_kernel(const void *, void *) {
    abort();
}

enum { BLOCKS = 3, UNTOLD = 7 };

template <typename word> struct sides {
    std::vector<uint32_t> place; /* of each place its master */
    std::vector<word> value;     /* of masters */
    std::vector<word> sent, ghost;
    std::vector<uint32_t> taken; /* how often, of each ghost */
    word limit;
    unsigned long long differ, told, fitted;
};

template <typename word> static bool differs(const sides<word> &s, size_t i) {
    return s.place[i] != GPUGRAPH_NONE && s.value[s.place[i]] < s.limit &&
           s.value[s.place[i]] != s.sent[i];
}

/* Sends a message with that much room; returns how many have changed, as its count says. */
template <typename word>
static unsigned long long send(sides<word> *s, uint32_t room, bool *list) {
    const uint32_t places = (uint32_t)s->place.size();
    uint64_t bytes;
    part_message_at(NULL, places, room, sizeof(word), &bytes);
    ck_assert(bytes <= part_message_most(places, sizeof(word)) || room > places);
    std::vector<uint64_t> out(bytes / 8 + 1, 0x5555555555555555u), in;
    unsigned long long count = 0;
    struct part_message m =
        part_message_at((unsigned char *)out.data(), places, room, sizeof(word), &bytes);
    m.count = &count;
    *list = m.place != NULL;
    s->told = s->fitted = 0;
    run_grid(BLOCKS, GG_BLOCK, [=] {
        part_pack<word>(m, s->place.data(), s->value.data(), s->limit, s->sent.data(),
                        [=](word, bool fits) {
                            atomicAdd(&s->told, 1);
                            atomicAdd(&s->fitted, fits);
                        });
    });
    expect(out[bytes / 8] == 0x5555555555555555u, "%u places, room %u: beyond the end",
           places, room);
    in = out;
    m = part_message_at((unsigned char *)in.data(), places, room, sizeof(word), &bytes);
    m.count = &count;
    run_grid(BLOCKS, GG_BLOCK, [=] {
        part_take<word>(m, [=](uint32_t i, word value) {
            s->ghost[i] = value;
            atomicAdd(&s->taken[i], 1);
        });
    });
    return count;
}

template <typename word> static void check_sides(const sides<word> &s, uint32_t room) {
    for (size_t i = 0; i < s.place.size(); i++) {
        expect(!differs(s, i), "room %u: place %zu was not sent", room, i);
        expect(s.ghost[i] == s.sent[i], "room %u: ghost %zu differs", room, i);
        expect(s.taken[i] <= 1, "room %u: ghost %zu came %u times", room, i, s.taken[i]);
    }
}

/* `part` % of the masters have changed. Was the first message a list? */
template <typename word>
static bool check(uint32_t places, unsigned part, uint64_t seed) {
    sides<word> s;
    bool list, other;
    s.limit = (word) ~(word)0 / 2;
    for (uint32_t i = 0; i < places; i++) {
        const bool none = i + 9 > places && shape_random(&seed) % 2;
        s.place.push_back(none ? GPUGRAPH_NONE : (i * 7919u + 3) % places);
        s.value.push_back((word)shape_random(&seed)); /* half of them from the limit on */
        s.sent.push_back((word)UNTOLD);
    }
    for (uint32_t i = 0; i < places; i++)
        if (s.place[i] != GPUGRAPH_NONE && shape_random(&seed) % 100 >= part)
            s.sent[i] = s.value[s.place[i]];
    s.ghost = s.sent;
    s.taken.assign(places, 0);
    s.differ = 0;
    for (uint32_t i = 0; i < places; i++)
        s.differ += differs(s, i);
    const uint32_t room = (uint32_t)(shape_random(&seed) % (2 * s.differ + 2));
    const unsigned long long count = send(&s, room ? room : 1, &list);
    const uint32_t had = room ? room : 1;
    expect(count == s.differ && s.told == count, "%llu differ, %llu told, not %llu",
           count, s.told, s.differ);
    expect(s.fitted == (count < had ? count : had), "%llu fit %u", s.fitted, had);
    if (count > had)
        send(&s, (uint32_t)(count - had), &other);
    check_sides(s, had);
    return list;
}

START_TEST(all_rooms) {
    static const uint32_t places[] = {1, 31, 32, 33, 1024, 1025, 5000, 9001};
    static const unsigned parts[] = {0, 1, 30, 100};
    uint64_t seed = 5;
    unsigned lists = 0, all = 0;
    for (uint32_t count : places)
        for (unsigned part : parts)
            for (int i = 0; i < 3; i++, all++) {
                const uint64_t drawn = shape_random(&seed);
                lists += all % 2 ? check<uint32_t>(count, part, drawn)
                                 : check<uint64_t>(count, part, drawn);
            }
    expect(lists > 0 && lists < all, "%u of %u were lists", lists, all);
}
END_TEST

/* The length of a message is what it has room for, whichever of the two is shorter. */
START_TEST(shorter_form) {
    for (uint32_t room = 1; room <= 4096; room += 5) {
        uint64_t bytes;
        part_message_at(NULL, 4096, room, 4, &bytes);
        const uint64_t list = 8ull * room, bits = 4096 / 8 + 16 + 4ull * room;
        expect(bytes <= (list < bits ? list : bits) + 12, "room %u: %llu bytes", room,
               (unsigned long long)bytes);
    }
}
END_TEST

const struct suite suite = {
    .name = "message_lanes",
    .groups = {{.name = "message_lanes",
                .timeout = 120,
                .cases = {{&all_rooms}, {&shorter_form}}}},
};
