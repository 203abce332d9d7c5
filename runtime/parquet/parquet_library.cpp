#include "runtime/parquet/parquet_library.h"

#include <dlfcn.h>

#include "common/error.h"
#include "common/io/file.h"
#include "common/thread/mutex.h"
#include "runtime/memory/budget.h"

namespace pelorus::parquet_file {

namespace {

// The functions of this process that the library calls.
class ProcessHost final : public ParquetHost {
public:
    bool charge(int64_t sizeBytes) noexcept override {
        if (sizeBytes < memory::kLargeBytes) {
            memory::note(sizeBytes);
            return true;
        }
        try {
            memory::charge(sizeBytes);
            return true;
        } catch (const Error&) {
            return false;
        }
    }
    void discharge(int64_t sizeBytes) noexcept override { memory::note(-sizeBytes); }
    [[noreturn]] void fail(const std::string& message) override { throw SystemError(message); }
};

// The library once it was asked for; lives as long as the process, since cursors may.
struct Opened {
    Mutex mutex;
    Library* library GUARDED_BY(mutex) = nullptr;
    ProcessHost host;
};

// Opens the library next to the program in a build folder, in ../lib/pelorus when installed. Returns nullptr, and the
// reason, when it is not there.
void* openLibrary(std::string& reason) {
    for (const char* place : {"", "../lib/pelorus/", "../../", "../"}) {
        const std::string candidate = joinPath(folderOfProgram(), std::string(place) + "libpelorus_arrow.so");
        if (!FileSystem::posix().exists(candidate)) continue;
        if (void* found = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) return found;
        reason = dlerror();
    }
    return nullptr;
}

}  // namespace

Library& library() {
    static auto* const opened = new Opened;
    const MutexLock lock(opened->mutex);
    if (opened->library != nullptr) return *opened->library;
    std::string reason;
    void* const handle = openLibrary(reason);
    const auto make = handle == nullptr
                          ? nullptr
                          : reinterpret_cast<Library* (*)(ParquetHost*)>(dlsym(handle, "pelorusParquetLibrary"));
    if (make == nullptr) {
        throw UserError("Parquet files need the library libpelorus_arrow.so, which is not here." +
                            (reason.empty() ? "" : " " + reason),
                        "In the source tree run scripts/fetch_arrow.sh and make. Text files need nothing: "
                        "loadText(\"name.csv\").");
    }
    opened->library = make(&opened->host);
    return *opened->library;
}

}  // namespace pelorus::parquet_file
