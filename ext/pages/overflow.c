/* Reads records that are longer than their leaf allows.
**
**     leaf      ... | local bytes of the record | page 4 |
**                                                 |
**     overflow      next page 4 | bytes ...     <-+     usable - 4 of them
**                       |
**     overflow      next page 4 | bytes ... | unused;  next page 0
**
** A chain is read up to the last wanted byte. It cannot be longer than the file, and it
** must not return to an earlier page. To detect a cycle, the reader remembers one page at
** each power of two.
**
** With auto_vacuum SQLite takes the order of a chain's pages from a separate map, and in
** a damaged file the two may differ. So in these files SQLite reads chains of several
** pages. */
#include "format.h"

#include <stdlib.h>

/* ---- bytes that are copied ---- */

struct page_chunk {
    struct page_chunk *next;
    uint8_t bytes[];
};

uint8_t *page_store_take(page_store *store, size_t bytes) {
    struct page_chunk *chunk = malloc(sizeof *chunk + bytes);
    if (!chunk)
        return NULL;
    chunk->next = store->chunk;
    store->chunk = chunk;
    return chunk->bytes;
}

void page_store_empty(page_store *store) {
    while (store->chunk) {
        struct page_chunk *next = store->chunk->next;
        free(store->chunk);
        store->chunk = next;
    }
}

/* ---- chains ---- */

void page_chain_start(page_chain *chain, const page_layout *layout, page_helper *helper,
                      const uint8_t *record, uint32_t local, uint32_t payload) {
    *chain = (page_chain){.layout = layout,
                          .helper = helper,
                          .record = record,
                          .local = local,
                          .payload = payload,
                          .next = local < payload ? get4(record + local) : 0,
                          .from = local,
                          .until = local};
}

/* Reads the next page of the chain into helper->overflow. */
static enum page_reason next_page(page_chain *chain) {
    page_helper *helper = chain->helper;
    const uint32_t page = chain->next, pages = helper->source->pages;
    if (page < 2 || page > pages || chain->steps++ >= pages || page == chain->mark)
        return PAGE_DAMAGED;
    if ((chain->steps & (chain->steps - 1)) == 0)
        chain->mark = page;
    if (chain->layout->auto_vacuum && chain->steps > 1)
        return PAGE_CHAIN;
    enum page_reason reason = page_source_read(helper->source, page, 1, helper->overflow);
    if (reason)
        return reason;
    chain->next = get4(helper->overflow);
    chain->from = chain->until;
    chain->until += chain->layout->usable - 4;
    return PAGE_FINE;
}

enum page_reason page_chain_read(page_chain *chain, uint64_t at, uint64_t count,
                                 uint8_t *to) {
    const uint64_t end = at + count, each = chain->layout->usable - 4;
    enum page_reason reason = PAGE_FINE;

    /* Detects a record that is longer than the file before it reads a page. */
    if (end > chain->local && (end - chain->local) / each > chain->helper->source->pages)
        return PAGE_DAMAGED;
    while (at < end && !reason) {
        const bool here = at < chain->local;
        if (!here && at < chain->from) /* a column with two roles is read twice */
            page_chain_start(chain, chain->layout, chain->helper, chain->record,
                             chain->local, chain->payload);
        const uint64_t until = here ? chain->local : chain->until;
        if (at >= until) {
            reason = next_page(chain);
            continue;
        }
        uint64_t part = (end < until ? end : until) - at;
        const uint8_t *from =
            here ? chain->record + at : chain->helper->overflow + 4 + (at - chain->from);
        memcpy(to, from, part);
        to += part;
        at += part;
    }
    return reason;
}
