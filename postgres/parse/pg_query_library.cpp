#include "postgres/parse/pg_query_library.h"

#include <dlfcn.h>
#include <pg_query.h>
#include <pthread.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "common/thread/mutex.h"
#include "postgres/parse/nesting.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

// The functions that are used.
struct Library {
    void (*beginThread)() = nullptr;
    PgQueryParseResult (*parse)(const char* input) = nullptr;
    void (*freeResult)(PgQueryParseResult result) = nullptr;
};

// Opens the library once a process; it stays open, since threads keep memory of it.
const Library& library() {
    static Mutex mutex;
    static Library opened GUARDED_BY(mutex);
    const MutexLock lock(mutex);
    if (opened.parse == nullptr) {
        void* const handle = dlopen("libpg_query.so.1504.0", RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr)
            throw SqlError(sql_state::kSystemError,
                           "PostgreSQL's dialect needs the library libpg_query, which is not here.", -1,
                           "Install the Debian package libpg-query-dev.");
        opened.beginThread = reinterpret_cast<void (*)()>(dlsym(handle, "pg_query_init"));
        opened.freeResult = reinterpret_cast<void (*)(PgQueryParseResult)>(dlsym(handle, "pg_query_free_parse_result"));
        opened.parse = reinterpret_cast<PgQueryParseResult (*)(const char*)>(dlsym(handle, "pg_query_parse"));
    }
    return opened;
}

// The library makes a key of thread-specific data for each thread that parses, whose destructor frees the thread's
// memory, and never deletes it. A process has 1,024 keys, and other libraries fail without one: so each is deleted when
// its thread has ended. This is done by the destructor of a key of our own, in the round after the library's.
class ThreadKeys {
public:
    static ThreadKeys& ofProcess() {
        static auto* const keys = new ThreadKeys;  // threads may end after statics
        return *keys;
    }

    // Begins the work of a thread with the library; does nothing when it has begun.
    void beginThread(const Library& library) {
        static thread_local bool hasBegun = false;
        if (hasBegun) return;
        hasBegun = true;
        const MutexLock one(mutex_);
        // The library gets the key that is free now, unless another thread of the process takes it in between.
        pthread_key_t expected;
        const bool isKnown = isUsable_ && pthread_key_create(&expected, nullptr) == 0;
        if (isKnown) pthread_key_delete(expected);
        library.beginThread();
        if (isKnown && pthread_getspecific(expected) != nullptr) note(expected, 0);
    }

private:
    ThreadKeys() : isUsable_(pthread_key_create(&own_, endThread) == 0) {}

    void note(pthread_key_t key, uintptr_t round) const {
        pthread_setspecific(own_, reinterpret_cast<void*>((uintptr_t{key} << 1 | round) + 1));
    }
    static void endThread(void* noted) {
        const uintptr_t value = reinterpret_cast<uintptr_t>(noted) - 1;
        const auto key = static_cast<pthread_key_t>(value >> 1);
        if ((value & 1) == 0) return ofProcess().note(key, 1);
        pthread_key_delete(key);
    }

    Mutex mutex_;
    pthread_key_t own_ = 0;
    const bool isUsable_;
};

// Returns the number that is at a place of the string: "-", blanks or comments, and digits. 0 for anything else.
int64_t negativeNumberAt(std::string_view text, size_t place) {
    if (place >= text.size() || text[place] != '-') return 0;
    ++place;
    while (place < text.size() && std::isdigit(static_cast<unsigned char>(text[place])) == 0) {
        const std::string_view rest = text.substr(place);
        if (rest.starts_with("--"))
            place += std::min(rest.find('\n'), rest.size());
        else if (rest.starts_with("/*"))
            place += std::min(rest.find("*/"), rest.size() - 2) + 2;
        else
            ++place;
    }
    return -static_cast<int64_t>(std::strtoll(std::string(text.substr(place, 20)).c_str(), nullptr, 10));
}

// Puts in the negative whole numbers, which the library's JSON leaves out as if they were 0.
void restoreNegativeNumbers(nlohmann::json& tree, std::string_view text) {
    std::vector<nlohmann::json*> pending = {&tree};
    while (!pending.empty()) {
        nlohmann::json& node = *pending.back();
        pending.pop_back();
        if (!node.is_structured()) continue;
        const auto number = node.is_object() ? node.find("ival") : node.end();
        if (node.is_object() && number != node.end() && number->is_object() && number->empty()) {
            const int64_t value = negativeNumberAt(text, node.value("location", size_t{0}));
            if (value != 0) (*number)["ival"] = value;
            continue;
        }
        for (auto& child : node) pending.push_back(&child);
    }
}

nlohmann::json parseHere(const std::string& text) {
    const Library& functions = library();
    ThreadKeys::ofProcess().beginThread(functions);
    const PgQueryParseResult result = functions.parse(text.c_str());
    struct Free {
        const Library& functions;
        const PgQueryParseResult& result;
        ~Free() { functions.freeResult(result); }
    } const free{functions, result};
    if (result.error != nullptr)
        throw SqlError(sql_state::kSyntaxError, result.error->message, result.error->cursorpos - 1);
    nlohmann::json tree = nlohmann::json::parse(result.parse_tree);
    restoreNegativeNumbers(tree, text);
    return tree;
}

// The parser uses up to 400 bytes of stack a level, and checks nothing.
constexpr int kNestingOfOwnStack = 1'000;
constexpr size_t kDeepStackBytes = size_t{64} << 20;  // mapped as it is touched

// A parse on a stack of its own.
struct DeepParse {
    const std::string& text;
    nlohmann::json tree;
    std::exception_ptr error;
};

void* runDeepParse(void* argument) {
    auto& parse = *static_cast<DeepParse*>(argument);
    try {
        parse.tree = parseHere(parse.text);
    } catch (...) {
        parse.error = std::current_exception();
    }
    return nullptr;
}

nlohmann::json parseOnDeepStack(const std::string& text) {
    DeepParse parse{text, {}, {}};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kDeepStackBytes);
    pthread_t thread;
    const int refused = pthread_create(&thread, &attributes, runDeepParse, &parse);
    pthread_attr_destroy(&attributes);
    if (refused != 0) throw SqlError(sql_state::kOutOfMemory, "No thread could be started to parse a deep statement.");
    pthread_join(thread, nullptr);
    if (parse.error) std::rethrow_exception(parse.error);
    return std::move(parse.tree);
}

}  // namespace

nlohmann::json parseTree(const std::string& text) {
    const int nesting = nestingBound(text);
    if (nesting > kMaxNesting)
        throw SqlError(
            sql_state::kTooComplex, "stack depth limit exceeded", -1,
            "The statement nests more than 40,000 operators; put parts of it into sub-queries or parameters.");
    return nesting > kNestingOfOwnStack ? parseOnDeepStack(text) : parseHere(text);
}

}  // namespace pelorus::postgres
