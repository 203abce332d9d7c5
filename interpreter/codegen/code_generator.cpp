#include "interpreter/codegen/code_generator.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "common/io/file.h"
#include "common/thread/mutex.h"
#include "common/thread/thread_pool.h"

namespace pelorus {

namespace {

// Lives as long as the process, since workers may still compile at its end.
struct Generator {
    std::atomic<JitMode> mode = JitMode::Off;
    Mutex mutex;
    void* library GUARDED_BY(mutex) = nullptr;
    bool opened GUARDED_BY(mutex) = false;
    int pending GUARDED_BY(mutex) = 0;  // compilations under way
    CondVar allDone;
};

Generator& generator() {
    static Generator* instance = new Generator;
    return *instance;
}

// Opens the library next to the engine in a build folder, in ../lib/pelorus when installed, and in ../pelorus in a
// wheel of the Python package. The generator reads structures of the engine, so it must be of the same build: none is
// looked for beside a program of others that has opened the engine.
void* openLibrary() {
    for (const char* place : {"", "../lib/pelorus/", "../../", "../", "../pelorus/"}) {
        const std::string candidate = joinPath(folderOfEngine(), std::string(place) + "libpelorus_jit.so");
        if (!FileSystem::posix().exists(candidate)) continue;
        if (void* library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
    return nullptr;
}

}  // namespace

void setJitMode(JitMode mode) {
    generator().mode = mode;
}

JitMode jitMode() {
    return generator().mode.load(std::memory_order_relaxed);
}

JitMode jitModeFromEnvironment() {
    const char* text = std::getenv("PELORUS_JIT");
    std::string mode = text ? text : "hot";
    if (mode == "off") return JitMode::Off;
    return mode == "always" ? JitMode::Always : JitMode::Hot;
}

void* generatorFunction(const char* name) {
    Generator& g = generator();
    const MutexLock lock(g.mutex);
    if (!g.opened) {
        g.opened = true;
        g.library = openLibrary();
    }
    return g.library ? dlsym(g.library, name) : nullptr;
}

void releaseCode(const void* code) {
    // At the end of the process the generator's own statics are destroyed, and the remaining code with them.
    if (!code || jitMode() == JitMode::Off) return;
    static const auto release = reinterpret_cast<void (*)(const void*)>(generatorFunction("pelorusReleaseCode"));
    if (release) release(code);
}

void compileInBackground(std::function<void()> task) {
    Generator& g = generator();
    {
        const MutexLock lock(g.mutex);
        if (g.mode == JitMode::Off) return;
        ++g.pending;
    }
    submit([task = std::move(task)] {
        task();
        Generator& g = generator();
        const MutexLock lock(g.mutex);
        if (--g.pending == 0) g.allDone.notifyAll();
    });
}

void finishCodeGeneration() {
    Generator& g = generator();
    g.mode = JitMode::Off;
    MutexLock lock(g.mutex);
    while (g.pending != 0) g.allDone.wait(lock);
}

}  // namespace pelorus
