/* A VFS over SQLite's default one, as encryption, checksums and counters are built. One kind at
** a time; files that are open keep what they were opened with.
**
**     SHIM_PLAIN      passes everything on
**     SHIM_XOR        every byte on the disk differs, by its place
**     SHIM_OFFSET     the database begins behind a foreign block of 12288 bytes
**     SHIM_PAGES      bytes differ by the read they come with: a database file may be read
**                     by single pages alone, else what comes is not the page
**/
#ifndef TEST_SHIM_VFS_H
#define TEST_SHIM_VFS_H

#include <sqlite3.h>
#include <stdbool.h>

enum shim_kind { SHIM_PLAIN, SHIM_XOR, SHIM_OFFSET, SHIM_PAGES, SHIM_KINDS };

typedef struct shim_options {
    enum shim_kind kind;
    bool silent;      /* asked for its name, it gives that of the VFS beneath */
    int page_size;    /* of SHIM_PAGES */
    long read_fails;  /* the n-th read from now on is an error; 0: none */
    bool short_read;  /* of that one the first half comes */
    long write_fails; /* the n-th write from now on finds the disk full; 0: none */
    bool for_good;    /* so do all that follow it */
} shim_options;

extern shim_options shim;
extern long shim_reads, shim_writes; /* so far */

/* Under this name; closed files only at shim_unregister. */
#define SHIM_NAME "shim"
void shim_register(void);
void shim_unregister(void);

#endif
