#include "runtime/parquet/parquet_library.h"

#include <dlfcn.h>

#include <string_view>

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

// Returns whether an open library was built for the interface that this program was built for: the virtual functions of
// another one are others.
bool hasOurInterface(void* handle) {
    const auto said = reinterpret_cast<const char* (*)()>(dlsym(handle, "pelorusParquetInterface"));
    return said != nullptr && std::string_view(said()) == PELORUS_ARROW_INTERFACE;
}

using MakeLibrary = Library* (*)(ParquetHost*);

// Opens the library next to the program in a build folder, in ../lib/pelorus when installed. Returns its maker;
// nullptr, and the reason, when there is none of this build.
MakeLibrary openLibrary(std::string& reason) {
    for (const char* place : {"", "../lib/pelorus/", "../../", "../"}) {
        const std::string candidate = joinPath(folderOfProgram(), std::string(place) + "libpelorus_arrow.so");
        if (!FileSystem::posix().exists(candidate)) continue;
        // It stays open whatever it is: threads of Arrow C++ may run already.
        void* const handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) {
            reason = dlerror();
        } else if (!hasOurInterface(handle)) {
            reason = candidate + " is of another build than this program";
        } else {
            return reinterpret_cast<MakeLibrary>(dlsym(handle, "pelorusParquetLibrary"));
        }
    }
    return nullptr;
}

}  // namespace

Library& library() {
    static auto* const opened = new Opened;
    const MutexLock lock(opened->mutex);
    if (opened->library != nullptr) return *opened->library;
    // It exchanges strings with the program by one C++ runtime, and an engine that is a library has one of its own.
    if (folderOfEngine() != folderOfProgram()) {
        throw UserError("Parquet files are not read in place where the engine is a library of another program.",
                        "In Python read them by pyarrow or polars, and name the frame in the query: "
                        "files = pyarrow.dataset.dataset(\"name.parquet\"), then db.sql(\"select … from files\").");
    }
    std::string reason;
    const MakeLibrary make = openLibrary(reason);
    if (make == nullptr) {
        throw UserError("Parquet files need the library libpelorus_arrow.so, which " +
                            (reason.empty() ? "is not here." : "cannot be used: " + reason + "."),
                        "In the source tree run scripts/fetch_arrow.sh and make. Text files need nothing: "
                        "loadText(\"name.csv\").");
    }
    opened->library = make(&opened->host);
    return *opened->library;
}

}  // namespace pelorus::parquet_file
