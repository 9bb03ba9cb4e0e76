/* A record that is longer than its leaf lets it be.
**
**     leaf      ... | local bytes of the record | page 4 |
**                                                 |
**     overflow      next page 4 | bytes ...     <-+     usable - 4 of them
**                       |
**     overflow      next page 4 | bytes ... | rest unused;  next page 0
**
** A chain is followed no further than to the last byte wanted. It cannot be longer than the file; and it must not come back to a page
** that it has left, which one page remembered at every power of two finds.
**
** With auto_vacuum a map of pages says of each overflow page whose successor it is. SQLite
** takes its word for pages that it passes over; so the two must agree here. */
#include "format.h"
#include "bytes.h"

enum { PENDING_BYTE = 0x40000000, MAP_ENTRY = 5, MAP_SUCCESSOR = 4 };

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

/* Does the map say that `page` follows `previous`? Entries for usable / 5 pages lie on the
** page before them. */
static enum page_reason check_map(const page_chain *chain, uint32_t page,
                                  uint32_t previous) {
    page_helper *helper = chain->helper;
    const page_layout *layout = chain->layout;
    const uint32_t group = layout->usable / MAP_ENTRY + 1;
    uint32_t map = (page - 2) / group * group + 2;

    if (map == PENDING_BYTE / layout->page_size + 1)
        map++;
    if (map >= page || map > helper->source->pages)
        return PAGE_DAMAGED;
    if (helper->map_page != map) {
        helper->map_page = 0;
        enum page_reason reason =
            page_source_read(helper->source, layout, map, 1, helper->map);
        if (reason)
            return reason;
        helper->map_page = map;
    }
    const uint8_t *entry = helper->map + (page - map - 1) * (size_t)MAP_ENTRY;
    bool agrees = entry[0] == MAP_SUCCESSOR && get4(entry + 1) == previous;
    return agrees ? PAGE_FINE : PAGE_DAMAGED;
}

/* The next page of the chain, into helper->overflow. */
static enum page_reason next_page(page_chain *chain) {
    page_helper *helper = chain->helper;
    const uint32_t page = chain->next, pages = helper->source->pages;

    if (page < 2 || page > pages || chain->steps++ >= pages || page == chain->mark)
        return PAGE_DAMAGED;
    if ((chain->steps & (chain->steps - 1)) == 0)
        chain->mark = page;
    enum page_reason reason = PAGE_FINE;
    if (chain->layout->auto_vacuum && chain->page)
        reason = check_map(chain, page, chain->page);
    if (!reason)
        reason =
            page_source_read(helper->source, chain->layout, page, 1, helper->overflow);
    if (reason)
        return reason;
    chain->page = page;
    chain->next = get4(helper->overflow);
    chain->from = chain->until;
    chain->until += chain->layout->usable - 4;
    return PAGE_FINE;
}

enum page_reason page_chain_read(page_chain *chain, uint64_t at, uint64_t count,
                                 uint8_t *to) {
    const uint64_t end = at + count, each = chain->layout->usable - 4;
    enum page_reason reason = PAGE_FINE;

    /* Seen before anything is read: bytes that the file has no room for. */
    if (end > chain->local && (end - chain->local) / each > chain->helper->source->pages)
        return PAGE_DAMAGED;
    while (at < end && !reason) {
        const bool here = at < chain->local;
        if (!here && at < chain->from) /* a column in two roles is read twice */
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
