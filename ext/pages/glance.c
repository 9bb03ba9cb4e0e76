/* A look at some leaves before all are read: where one of their ids does not fit 4 bytes, columns of
** ids are of 8 from the start, and no thread begins in vain.
**
**     leaves   |x| . . . . |x| . . . . |x| . . . . |x|     the first, the last, and some between
**
** Of small tables there is nothing to be gained: what was begun in vain is soon done again. */
#include "format.h"

#include <stdlib.h>

enum { GLANCES = 16 }; /* leaves */
uint64_t page_glance_from = 16 << 20;

struct glance {
    const page_source *source;
    page_layout layout; /* of source and target alone */
    page_rows rows;
    page_helper helper;
    uint8_t *page;
};

static enum page_reason glance_fetch(void *glance, uint32_t page, uint8_t *to) {
    const struct glance *g = glance;
    return page_source_read(g->source, &g->layout, page, 1, to);
}

/* False: no memory. */
static bool glance_begin(struct glance *g, const page_source *source,
                         const page_layout *layout) {
    const size_t rows = page_most_rows(layout), size = layout->page_size;
    g->source = source;
    g->layout = *layout;
    g->layout.columns = PAGE_WEIGHT;
    g->layout.text = g->layout.null = true;
    page_layout_finish(&g->layout);
    g->page = calloc(1, size + PAGE_PAD);
    g->helper = (page_helper){.fetch = glance_fetch,
                              .owner = g,
                              .pages = source->pages,
                              .overflow = malloc(size),
                              .map = malloc(size)};
    g->rows = (page_rows){.source32 = malloc(rows * sizeof(int32_t)),
                          .target32 = malloc(rows * sizeof(int32_t)),
                          .text = malloc(rows * 2 * sizeof(page_text)),
                          .half = malloc(rows * sizeof(uint32_t)),
                          .helper = &g->helper};
    return g->page && g->helper.overflow && g->helper.map && g->rows.source32 &&
           g->rows.target32 && g->rows.text && g->rows.half;
}

static void glance_end(struct glance *g) {
    free(g->page);
    free(g->helper.overflow);
    free(g->helper.map);
    free(g->rows.source32);
    free(g->rows.target32);
    free(g->rows.text);
    free(g->rows.half);
    page_store_clear(&g->helper.store);
}

/* Whatever else is odd about a leaf is not looked at here. */
static bool leaf_is_wide(struct glance *g, uint32_t leaf) {
    page_rows rows = g->rows;
    if (page_source_read(g->source, &g->layout, leaf, 1, g->page) != PAGE_FINE ||
        page_leaf_cells(&g->layout, g->page) < 0)
        return false;
    page_store_empty(&g->helper.store);
    return page_leaf(&g->layout, g->page, &rows) == PAGE_ID_WIDE;
}

bool page_glance(const page_source *source, const page_layout *layout,
                 const page_leaves *leaves) {
    struct glance g = {0};
    bool wide = false;
    if (layout->wide || leaves->count == 0 ||
        (uint64_t)leaves->count * layout->page_size < page_glance_from)
        return false;
    const bool ready = glance_begin(&g, source, layout);
    for (uint64_t i = 0; i < GLANCES && ready && !wide; i++)
        wide = leaf_is_wide(&g, leaves->page[i * (leaves->count - 1) / (GLANCES - 1)]);
    glance_end(&g);
    return wide;
}
