#include "runtime/function/portable.h"

#include <map>
#include <string>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/mutex.h"
#include "runtime/value/vector.h"

namespace pelorus {
namespace {

struct Loader {
    PortableLoader load = nullptr;
    Type type = Type::Function;
};

struct Loaders {
    Mutex mutex;
    std::map<std::string, Loader, std::less<>> byKind GUARDED_BY(mutex);
};

Loaders& loaders() {
    static Loaders instance;
    return instance;
}

}  // namespace

void registerPortable(std::string_view kind, PortableLoader loader, Type type) {
    CHECK(loader != nullptr) << "a kind of object that is sent has a loader";
    const MutexLock lock(loaders().mutex);
    loaders().byKind[std::string(kind)] = {loader, type};
}

const std::vector<Value>& savedParts(const Value& saved, size_t count) {
    if (!saved.isTuple() || saved.tuple().elements.size() != count) {
        throw UserError("An object arrived whose parts do not fit.",
                        "The nodes of a cluster must run the same version.");
    }
    return saved.tuple().elements;
}

Ref<Portable> loadPortable(std::string_view kind, const Value& saved, Type type) {
    Loader loader;
    {
        const MutexLock lock(loaders().mutex);
        auto it = loaders().byKind.find(kind);
        if (it != loaders().byKind.end()) loader = it->second;
    }
    // Kernels infer the class of an object from the type of its value, so both must match.
    if (!loader.load || loader.type != type) {
        throw UserError("An object of kind '" + std::string(kind) + "' arrived, which this process does not know.",
                        "The nodes of a cluster must run the same version.");
    }
    return loader.load(saved);
}

}  // namespace pelorus
