/* Reads the write-ahead log and its index; wal_frames.h has the rules. Section 4 of
** sqlite.org/fileformat2.html and sqlite.org/walformat.html describe the formats. */
#include "wal_frames.h"
#include "format.h"
#include "base/ext_limits.h"
#include "base/room.h"

#include <stdlib.h>

enum {
    INDEX_VERSION = 3007000,
    REGION = 32768, /* bytes of the index in one mapping */
    HEADER = 136,   /* bytes before the page numbers in the first region */
    /* the word of the first region with the number of backfilled frames */
    BACKFILLED = 24,
    FIRST_FRAMES = 4062, /* frames in the first region */
    FRAMES = 4096,       /* frames in every other region */
    LOG_HEADER = 32,
    CHECKPOINT_LOCK = 1,
    LOOKS = 1000
};

typedef const volatile uint32_t *region;

static uint32_t load_word(region at) {
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

/* ---- the index ---- */

sqlite3_file *wal_file_of(sqlite3 *db, const char *schema, int which) {
    sqlite3_file *file = NULL;
    if (sqlite3_file_control(db, schema, which, &file) != SQLITE_OK || !file ||
        !file->pMethods)
        return NULL;
    return file;
}

static bool is_known(const char *vfs, const char *too) {
    static const char *const known[] = {"unix", "unix-excl", "unix-dotfile", "unix-none"};
    bool trusted = too && strcmp(vfs, too) == 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        trusted |= strcmp(vfs, known[i]) == 0;
    return trusted;
}

/* A shim reports its name as "shim/unix". If it reports no name, the VFS pointer of the
** file leads to the shim. */
bool wal_vfs_known(sqlite3 *db, const char *schema) {
    const char *too = ext_limits.page_vfs;
    sqlite3_vfs *vfs = NULL;
    char *name = NULL;
    bool trusted =
        sqlite3_file_control(db, schema, SQLITE_FCNTL_VFS_POINTER, &vfs) == SQLITE_OK &&
        vfs && is_known(vfs->zName, too) &&
        sqlite3_file_control(db, schema, SQLITE_FCNTL_VFSNAME, &name) == SQLITE_OK &&
        name && is_known(name, too);
    sqlite3_free(name);
    return trusted;
}

/* SQLite has an entry for "pread64" exactly if it reads by that function. */
bool wal_vfs_reads_apart(sqlite3 *db, const char *schema) {
    sqlite3_vfs *vfs = NULL;
    return sqlite3_file_control(db, schema, SQLITE_FCNTL_VFS_POINTER, &vfs) ==
               SQLITE_OK &&
           vfs && is_known(vfs->zName, NULL) && vfs->iVersion >= 3 &&
           vfs->xGetSystemCall && vfs->xGetSystemCall(vfs, "pread64");
}

/* Mapping an index that is not open would open it and create its file. Releasing a lock
** that is not held does nothing if there is an index, and fails otherwise. */
bool wal_index_open(sqlite3_file *file) {
    const sqlite3_io_methods *io = file->pMethods;
    return io->iVersion >= 2 && io->xShmMap && io->xShmLock &&
           io->xShmLock(file, CHECKPOINT_LOCK, 1,
                        SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED) == SQLITE_OK;
}

/* Returns NULL if the region does not exist or is not certain to exist. */
static region map_region(sqlite3_file *file, uint32_t number) {
    void volatile *at = NULL;
    int rc = file->pMethods->xShmMap(file, (int)number, REGION, 0, &at);
    return rc == SQLITE_OK ? (region)at : NULL;
}

uintptr_t wal_index_place(sqlite3_file *file) {
    return (uintptr_t)map_region(file, 0);
}

/* Checks the header's checksum, in the machine's byte order. */
static bool header_is_sound(const wal_header *h) {
    uint32_t a = 0, b = 0;
    for (int i = 0; i < WAL_CHECKSUM; i += 2) {
        a += h->word[i] + b;
        b += h->word[i + 1] + a;
    }
    return a == h->word[WAL_CHECKSUM] && b == h->word[WAL_CHECKSUM + 1] &&
           h->word[WAL_VERSION] == INDEX_VERSION;
}

/* A writer writes the second copy first, so the first copy is read first. */
bool wal_index_look(sqlite3_file *file, wal_header *header) {
    region at = map_region(file, 0);
    for (int look = 0; at && look < LOOKS; look++) {
        wal_header second;
        for (int i = 0; i < WAL_WORDS; i++)
            header->word[i] = load_word(at + i);
        file->pMethods->xShmBarrier(file);
        for (int i = 0; i < WAL_WORDS; i++)
            second.word[i] = load_word(at + WAL_WORDS + i);
        if (memcmp(header, &second, sizeof second) == 0 && header_is_sound(header))
            return true;
    }
    return false;
}

/* ---- notes ---- */

const wal_header *wal_notes_find(const wal_notes *notes, const sqlite3_file *file) {
    for (int i = 0; notes && i < notes->count; i++)
        if (notes->note[i].file == file)
            return &notes->note[i].header;
    return NULL;
}

/* Notes the header of one database. False: there is no note. */
static bool take_note(const wal_notes *before, sqlite3 *db, const char *schema,
                      wal_note *note) {
    note->file = wal_file_of(db, schema, SQLITE_FCNTL_FILE_POINTER);
    const wal_header *kept = wal_notes_find(before, note->file);
    if (!note->file)
        return false;
    if (sqlite3_txn_state(db, schema) == SQLITE_TXN_NONE)
        return wal_vfs_known(db, schema) && wal_index_open(note->file) &&
               wal_index_look(note->file, &note->header);
    note->header = kept ? *kept : (wal_header){{0}};
    return kept != NULL;
}

/* Drops the notes of detached files, because another file may get such an address. */
void wal_notes_take(wal_notes *notes, sqlite3 *db) {
    wal_notes now = {0};
    wal_note note;
    const char *schema;
    for (int i = 0; (schema = sqlite3_db_name(db, i)) != NULL; i++)
        if (take_note(notes, db, schema, &note) &&
            room_for_one(&now.note, now.count, &now.room, sizeof note))
            now.note[now.count++] = note;
    wal_notes_clear(notes);
    *notes = now;
}

void wal_notes_clear(wal_notes *notes) {
    sqlite3_free(notes->note);
    *notes = (wal_notes){0};
}

/* ---- frames ---- */

static int compare_entries(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Reads the page numbers of the frames after `from`, up to `to`. */
static enum page_reason take_entries(wal_frames *frames, uint32_t from, uint32_t to) {
    uint32_t mapped = UINT32_MAX;
    region at = NULL;
    if (from >= to)
        return PAGE_FINE;
    frames->entry = malloc((size_t)(to - from) * sizeof *frames->entry);
    if (!frames->entry)
        return PAGE_NO_MEMORY;
    for (uint32_t frame = from + 1; frame <= to && frame > from; frame++) {
        bool first = frame <= FIRST_FRAMES;
        uint32_t behind = first ? 0 : frame - FIRST_FRAMES - 1;
        uint32_t number = first ? 0 : 1 + behind / FRAMES;
        if (number != mapped)
            at = map_region(frames->file, mapped = number);
        if (!at)
            return PAGE_WAL;
        uint32_t place = first ? HEADER / 4 + frame - 1 : behind % FRAMES;
        frames->entry[frames->count++] = (uint64_t)load_word(at + place) << 32 | frame;
    }
    qsort(frames->entry, frames->count, sizeof *frames->entry, compare_entries);
    return PAGE_FINE;
}

enum page_reason wal_frames_list(wal_frames *frames, sqlite3_file *file,
                                 sqlite3_file *log, const wal_header *before,
                                 uint32_t page_size) {
    *frames = (wal_frames){.file = file, .log = log, .page_size = page_size};
    const uint32_t *now = frames->header.word;
    region at = map_region(file, 0);
    uint32_t backfilled = at ? load_word(at + BACKFILLED) : 0;
    if (!at || !wal_index_look(file, &frames->header))
        return PAGE_WAL;
    if (before && before->word[WAL_SALT] == now[WAL_SALT] &&
        before->word[WAL_SALT + 1] == now[WAL_SALT + 1])
        frames->sure = before->word[WAL_LAST_FRAME];
    enum page_reason reason = take_entries(frames, backfilled, now[WAL_LAST_FRAME]);
    if (reason)
        wal_frames_clear(frames);
    return reason;
}

void wal_frames_clear(wal_frames *frames) {
    free(frames->entry);
    frames->entry = NULL;
    frames->count = 0;
}

uint32_t wal_frames_find(const wal_frames *frames, uint32_t page) {
    uint32_t low = 0, high = frames->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (frames->entry[middle] >> 32 <= page)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || frames->entry[low - 1] >> 32 != page)
        return WAL_NO_FRAME;
    uint32_t frame = (uint32_t)frames->entry[low - 1];
    return frame <= frames->sure ? frame : WAL_UNSURE;
}

/* Checks that the frame has that page. A frame begins with the number of its page, the
** size of the database if it ends a commit, and the salts of the log, in memory order. */
static enum page_reason check_frame(const wal_frames *frames, uint32_t page,
                                    const uint8_t *header, int rc) {
    if (rc != SQLITE_OK)
        return rc == SQLITE_IOERR_SHORT_READ ? PAGE_DAMAGED : PAGE_READ_FAILED;
    const bool agrees = get4(header) == page &&
                        memcmp(header + 8, &frames->header.word[WAL_SALT], 8) == 0;
    return agrees ? PAGE_FINE : PAGE_DAMAGED;
}

enum page_reason wal_frames_read(const wal_frames *frames, uint32_t page, uint32_t frame,
                                 uint8_t *to) {
    const sqlite3_io_methods *io = frames->log->pMethods;
    uint8_t header[WAL_FRAME_HEADER];
    int64_t at = LOG_HEADER +
                 (int64_t)(frame - 1) * (WAL_FRAME_HEADER + (int64_t)frames->page_size);
    int rc = io->xRead(frames->log, header, sizeof header, at);
    if (rc == SQLITE_OK)
        rc = io->xRead(frames->log, to, (int)frames->page_size, at + WAL_FRAME_HEADER);
    return check_frame(frames, page, header, rc);
}

bool wal_frames_hold(const wal_frames *frames) {
    wal_header now;
    return wal_index_look(frames->file, &now) &&
           memcmp(&now.word[WAL_SALT], &frames->header.word[WAL_SALT], 8) == 0;
}
