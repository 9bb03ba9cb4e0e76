#include "shim_vfs.h"
#include "assertions.h"

#include <string.h>

enum { BLOCK = 12288, HEADER = 100 };

shim_options shim;
long shim_reads, shim_writes;

typedef struct shim_file {
    sqlite3_file base;
    sqlite3_file *real;
    enum shim_kind kind;
    bool silent;
    int page_size; /* 0: all reads are allowed */
} shim_file;

static sqlite3_vfs *under, vfs;

static sqlite3_file *real_of(sqlite3_file *file) {
    return ((shim_file *)file)->real;
}

static sqlite3_int64 place_of(sqlite3_file *file, sqlite3_int64 offset) {
    return ((shim_file *)file)->kind == SHIM_OFFSET ? offset + BLOCK : offset;
}

/* Encodes and decodes bytes. */
static void disguise(unsigned char *bytes, int count, sqlite3_int64 offset) {
    for (int i = 0; i < count; i++)
        bytes[i] ^= (unsigned char)(0x5a + (offset + i) * 7);
}

static int xClose(sqlite3_file *file) {
    return real_of(file)->pMethods->xClose(real_of(file));
}

/* True if this is one of the calls that must fail. */
static bool comes_now(long *countdown, bool for_good) {
    if (*countdown <= 0 || --*countdown > 0)
        return false;
    *countdown = for_good;
    return true;
}

static int xRead(sqlite3_file *file, void *to, int bytes, sqlite3_int64 offset) {
    shim_file *f = (shim_file *)file;
    int rc, wanted = bytes;
    __atomic_add_fetch(&shim_reads, 1, __ATOMIC_RELAXED);
    if (shim.read_fails > 0 && comes_now(&shim.read_fails, shim.for_good)) {
        if (!shim.short_read)
            return SQLITE_IOERR_READ;
        bytes /= 2;
    }
    rc = f->real->pMethods->xRead(f->real, to, bytes, place_of(file, offset));
    if (f->kind == SHIM_XOR && rc == SQLITE_OK)
        disguise(to, bytes, offset);
    bool one_page = offset % (f->page_size ? f->page_size : 1) + bytes <= f->page_size;
    if (f->page_size && !one_page)
        memset(to, 0xe5, (size_t)bytes);
    if (rc == SQLITE_OK && bytes < wanted) {
        memset((char *)to + bytes, 0, (size_t)(wanted - bytes));
        return SQLITE_IOERR_SHORT_READ;
    }
    return rc;
}

static int xWrite(sqlite3_file *file, const void *from, int bytes, sqlite3_int64 offset) {
    shim_file *f = (shim_file *)file;
    unsigned char copy[65536];
    __atomic_add_fetch(&shim_writes, 1, __ATOMIC_RELAXED);
    if (shim.write_fails > 0 && comes_now(&shim.write_fails, shim.for_good))
        return SQLITE_FULL;
    if (f->kind == SHIM_XOR) {
        ck_assert_int_le(bytes, (int)sizeof copy);
        memcpy(copy, from, (size_t)bytes);
        disguise(copy, bytes, offset);
        from = copy;
    }
    return f->real->pMethods->xWrite(f->real, from, bytes, place_of(file, offset));
}

static int xTruncate(sqlite3_file *file, sqlite3_int64 size) {
    return real_of(file)->pMethods->xTruncate(real_of(file), place_of(file, size));
}

static int xSync(sqlite3_file *file, int flags) {
    return real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int xFileSize(sqlite3_file *file, sqlite3_int64 *size) {
    int rc = real_of(file)->pMethods->xFileSize(real_of(file), size);
    sqlite3_int64 before = place_of(file, 0);
    *size = *size > before ? *size - before : 0;
    return rc;
}

static int xLock(sqlite3_file *file, int lock) {
    return real_of(file)->pMethods->xLock(real_of(file), lock);
}

static int xUnlock(sqlite3_file *file, int lock) {
    return real_of(file)->pMethods->xUnlock(real_of(file), lock);
}

static int xCheckReservedLock(sqlite3_file *file, int *out) {
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}

/* No size hint is passed on if a block precedes the file. */
static int xFileControl(sqlite3_file *file, int op, void *value) {
    shim_file *f = (shim_file *)file;
    if (f->kind != SHIM_PLAIN && op == SQLITE_FCNTL_SIZE_HINT)
        return SQLITE_OK;
    int rc = f->real->pMethods->xFileControl(f->real, op, value);
    if (op == SQLITE_FCNTL_VFSNAME && rc == SQLITE_OK && !f->silent)
        *(char **)value = sqlite3_mprintf(SHIM_NAME "/%z", *(char **)value);
    return rc;
}

static int xSectorSize(sqlite3_file *file) {
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int xDeviceCharacteristics(sqlite3_file *file) {
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int xShmMap(sqlite3_file *file, int page, int size, int extend,
                   void volatile **out) {
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, out);
}

static int xShmLock(sqlite3_file *file, int offset, int n, int flags) {
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
}

static void xShmBarrier(sqlite3_file *file) {
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int xShmUnmap(sqlite3_file *file, int delete_it) {
    return real_of(file)->pMethods->xShmUnmap(real_of(file), delete_it);
}

/* No memory mapping, which would show the encoded bytes. */
static int xFetch(sqlite3_file *file, sqlite3_int64 offset, int bytes, void **out) {
    *out = NULL;
    if (((shim_file *)file)->kind != SHIM_PLAIN)
        return SQLITE_OK;
    return real_of(file)->pMethods->xFetch(real_of(file), offset, bytes, out);
}

static int xUnfetch(sqlite3_file *file, sqlite3_int64 offset, void *page) {
    if (((shim_file *)file)->kind != SHIM_PLAIN)
        return SQLITE_OK;
    return real_of(file)->pMethods->xUnfetch(real_of(file), offset, page);
}

static const sqlite3_io_methods methods = {3,
                                           xClose,
                                           xRead,
                                           xWrite,
                                           xTruncate,
                                           xSync,
                                           xFileSize,
                                           xLock,
                                           xUnlock,
                                           xCheckReservedLock,
                                           xFileControl,
                                           xSectorSize,
                                           xDeviceCharacteristics,
                                           xShmMap,
                                           xShmLock,
                                           xShmBarrier,
                                           xShmUnmap,
                                           xFetch,
                                           xUnfetch};

static int xOpen(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags,
                 int *out) {
    shim_file *f = (shim_file *)file;
    (void)self;
    memset(f, 0, sizeof *f);
    f->real = (sqlite3_file *)(f + 1);
    f->silent = shim.silent;
    /* Journals and logs have no block before them. */
    if (shim.kind != SHIM_OFFSET || flags & SQLITE_OPEN_MAIN_DB)
        f->kind = shim.kind;
    if (shim.kind == SHIM_PAGES && flags & SQLITE_OPEN_MAIN_DB)
        f->page_size = shim.page_size;
    int rc = under->xOpen(under, name, f->real, flags, out);
    if (f->real->pMethods)
        f->base.pMethods = &methods;
    return rc;
}

void shim_register(void) {
    under = sqlite3_vfs_find("unix");
    ck_assert(under != NULL);
    vfs = *under;
    vfs.szOsFile = (int)sizeof(shim_file) + under->szOsFile;
    vfs.zName = SHIM_NAME;
    vfs.pNext = NULL;
    vfs.xOpen = xOpen;
    memset(&shim, 0, sizeof shim);
    ck_assert_int_eq(sqlite3_vfs_register(&vfs, 0), SQLITE_OK);
}

void shim_unregister(void) {
    sqlite3_vfs_unregister(&vfs);
}
