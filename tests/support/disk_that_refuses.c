// A library to preload: syncs of this process fail, or take long, as the file that PELORUS_DISK names says.
//
//   "refuse"      fsync and fdatasync fail with EIO
//   "slow 0.4"    they take so many seconds longer
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int is_refused(void) {
    const char* path = getenv("PELORUS_DISK");
    char text[64];
    const int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    text[size < 0 ? 0 : size] = 0;
    if (strncmp(text, "slow ", 5) == 0) {
        const double seconds = atof(text + 5);
        const struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
        nanosleep(&time, NULL);
    }
    return strncmp(text, "refuse", 6) == 0;
}

static int refuse_or(const char* name, int file) {
    if (is_refused()) {
        errno = EIO;
        return -1;
    }
    int (*const next)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    return next(file);
}

int fsync(int file) { return refuse_or("fsync", file); }
int fdatasync(int file) { return refuse_or("fdatasync", file); }
