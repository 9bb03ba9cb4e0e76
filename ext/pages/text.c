/* Texts that are not on their leaf as they are wanted: copied from overflow pages, or
** turned from UTF-16 into UTF-8. */
#include "format.h"
#include "bytes.h"

#include <stdlib.h>

/* ---- the store: chunks, filled one after the other ---- */

enum { CHUNK = 64 << 10 };

struct page_chunk {
    struct page_chunk *next;
    size_t used, room;
    uint8_t bytes[];
};

uint8_t *page_store_take(page_store *store, size_t bytes) {
    struct page_chunk *chunk = store->chunk;
    if (!chunk || bytes > chunk->room - chunk->used) {
        size_t room = bytes > CHUNK ? bytes : CHUNK;
        chunk = malloc(sizeof *chunk + room);
        if (!chunk)
            return NULL;
        *chunk = (struct page_chunk){.next = store->chunk, .room = room};
        store->chunk = chunk;
    }
    uint8_t *taken = chunk->bytes + chunk->used;
    chunk->used += bytes;
    return taken;
}

void page_store_clear(page_store *store) {
    while (store->chunk) {
        struct page_chunk *next = store->chunk->next;
        free(store->chunk);
        store->chunk = next;
    }
}

/* A chunk of the usual size stays for the next batch. */
void page_store_empty(page_store *store) {
    struct page_chunk *kept = store->chunk;
    if (!kept)
        return;
    if (kept->room != CHUNK) {
        page_store_clear(store);
        return;
    }
    store->chunk = kept->next;
    page_store_clear(store);
    *kept = (struct page_chunk){.room = CHUNK};
    store->chunk = kept;
}

/* ---- UTF-16 ---- */

INLINE uint32_t unit(const uint8_t *p, bool big_endian) {
    return big_endian ? get2(p) : p[0] | (uint32_t)p[1] << 8;
}

INLINE uint8_t *put_utf_8(uint32_t c, uint8_t *to) {
    if (c < 0x80) {
        *to++ = (uint8_t)c;
    } else if (c < 0x800) {
        *to++ = (uint8_t)(0xc0 | c >> 6);
        *to++ = (uint8_t)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (uint8_t)(0xe0 | c >> 12);
        *to++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        *to++ = (uint8_t)(0x80 | (c & 0x3f));
    } else {
        *to++ = (uint8_t)(0xf0 | c >> 18);
        *to++ = (uint8_t)(0x80 | (c >> 12 & 0x3f));
        *to++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        *to++ = (uint8_t)(0x80 | (c & 0x3f));
    }
    return to;
}

/* SQLite takes any surrogate for the first of a pair, and whatever follows it for the
** second; only one at the very end stands alone. */
INLINE size_t convert(const uint8_t *text, size_t bytes, bool big_endian, uint8_t *to) {
    const uint8_t *end = text + (bytes & ~(size_t)1), *const start = to;
    while (text < end) {
        uint32_t c = unit(text, big_endian);
        text += 2;
        if (c >= 0xd800 && c < 0xe000 && text < end) {
            uint32_t low = unit(text, big_endian) & 0x3ff;
            text += 2;
            c = low | (c & 0x3f) << 10 | ((c & 0x3c0) + 0x40) << 10;
        }
        to = put_utf_8(c, to);
    }
    return (size_t)(to - start);
}

size_t page_utf_8(const uint8_t *text, size_t bytes, enum page_encoding encoding,
                  uint8_t *to) {
    return encoding == PAGE_UTF_16BE ? convert(text, bytes, true, to)
                                     : convert(text, bytes, false, to);
}

/* Every pair of these units shows each branch of a conversion and what it does at the
** text's end. A byte order mark must not stand first: binding would take it away. */
enum page_reason page_utf_16_probe(sqlite3 *db) {
    static const uint16_t kind[] = {0x41,   0x80,   0x7ff,  0x800,  0xd7ff,
                                    0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000,
                                    0xfeff, 0xfffd, 0xfffe, 0xffff};
    enum { KINDS = sizeof kind / sizeof *kind };
    uint8_t text[2 + KINDS * KINDS * 4], converted[sizeof text / 2 * 3];
    sqlite3_stmt *echo;
    enum page_reason reason = PAGE_FINE;

    if (sqlite3_prepare_v2(db, "SELECT ?1", -1, &echo, NULL) != SQLITE_OK)
        return PAGE_NOT_READABLE;
    for (int odd = 0; odd < 2 && !reason; odd++) {
        size_t bytes = 0;
        for (int i = 0; i < KINDS * KINDS * 2 + odd; i++) {
            int j = i - odd;
            uint16_t u = j < 0 ? kind[0] : kind[j % 2 ? j / 2 % KINDS : j / 2 / KINDS];
            text[bytes++] = (uint8_t)u;
            text[bytes++] = (uint8_t)(u >> 8);
        }
        if (odd) { /* a lone surrogate at the end */
            text[bytes - 2] = 0;
            text[bytes - 1] = 0xd8;
        }
        size_t length = page_utf_8(text, bytes, PAGE_UTF_16LE, converted);
        int rc = sqlite3_bind_text64(echo, 1, (const char *)text, bytes, SQLITE_STATIC,
                                     SQLITE_UTF16LE);
        rc = rc ? rc : sqlite3_step(echo);
        const void *own = rc == SQLITE_ROW ? sqlite3_column_text(echo, 0) : NULL;
        if (rc != SQLITE_ROW)
            reason = rc == SQLITE_INTERRUPT ? PAGE_STOPPED : PAGE_NOT_READABLE;
        else if (!own || (size_t)sqlite3_column_bytes(echo, 0) != length ||
                 memcmp(own, converted, length) != 0)
            reason = PAGE_UTF_16;
        sqlite3_reset(echo);
    }
    sqlite3_finalize(echo);
    return reason;
}
