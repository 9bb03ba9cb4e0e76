/* Texts that are not on their leaf as they are wanted: copied from overflow pages to chunks that are
** filled one after the other. */
#include "format.h"

#include <stdlib.h>

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
