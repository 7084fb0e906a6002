#include "app/history/store/watched_files.h"

#include <sqlite3.h>

#include "ingle/paint_thread.h"

namespace ingle::history {
namespace {

sqlite3_vfs* systemFiles() {
    static sqlite3_vfs* const system = ::sqlite3_vfs_find("unix");
    return system;
}

int openFile(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* outFlags) {
    mustNotPaint("SQLite");
    return systemFiles()->xOpen(systemFiles(), name, file, flags, outFlags);
}

int deleteFile(sqlite3_vfs*, const char* name, int syncFolder) {
    mustNotPaint("SQLite");
    return systemFiles()->xDelete(systemFiles(), name, syncFolder);
}

int accessFile(sqlite3_vfs*, const char* name, int flags, int* result) {
    mustNotPaint("SQLite");
    return systemFiles()->xAccess(systemFiles(), name, flags, result);
}

sqlite3_vfs watchedFiles() {
    sqlite3_vfs vfs = *systemFiles();
    vfs.pNext = nullptr;
    vfs.zName = "ingle";
    vfs.xOpen = openFile;
    vfs.xDelete = deleteFile;
    vfs.xAccess = accessFile;
    return vfs;
}

}  // namespace

void watchOpens() {
    if (::sqlite3_initialize() != SQLITE_OK) return;  // opening says why
    static sqlite3_vfs vfs = watchedFiles();
    static const int registered = ::sqlite3_vfs_register(&vfs, /*makeDflt=*/1);
    (void)registered;  // without it SQLite works as always
}

}  // namespace ingle::history
