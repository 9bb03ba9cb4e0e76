/* A VFS over SQLite's default one, like those for encryption, checksums and counters. It
** has one kind at a time; open files keep their kind.
**
**     SHIM_PLAIN      passes everything on
**     SHIM_XOR        every byte on the disk differs, by its position
**     SHIM_OFFSET     the database begins behind a foreign block of 12288 bytes
**     SHIM_PAGES      bytes depend on the read: only reads of single pages return a
**                     database file's pages
** / */
#ifndef TEST_SHIM_VFS_H
#define TEST_SHIM_VFS_H

#include <sqlite3.h>
#include <stdbool.h>

enum shim_kind { SHIM_PLAIN, SHIM_XOR, SHIM_OFFSET, SHIM_PAGES, SHIM_KINDS };

typedef struct shim_options {
    enum shim_kind kind;
    bool silent;      /* reports the name of the VFS below as its own */
    int page_size;    /* for SHIM_PAGES */
    long read_fails;  /* the n-th read from now on is an error; 0: none */
    bool short_read;  /* the failing read returns its first half */
    long write_fails; /* the n-th write from now on finds the disk full; 0: none */
    bool for_good;    /* all later ones fail, too */
} shim_options;

extern shim_options shim;
extern long shim_reads, shim_writes; /* so far */

/* The name under which it is registered. Close all files before shim_unregister. */
#define SHIM_NAME "shim"
void shim_register(void);
void shim_unregister(void);

#endif
