// Built-ins that read the log of the server, for administrators and the pages that show it to them.
#include <algorithm>

#include "common/error.h"
#include "common/io/file.h"
#include "common/log.h"
#include "runtime/function/principal.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"
#include "server/builtins/server_builtins.h"

namespace pelorus {
namespace {

constexpr int64_t kUsualBytes = 100 << 10;
constexpr int64_t kMaxBytes = 16 << 20;

std::unique_ptr<File> openLog(Context& context) {
    context.principal().requireAdministrator("read the log of the server");
    const std::string path = logFile();
    if (path.empty())
        throw UserError("This process keeps no log in a file.", "The setting logFile names one for a server.");
    return FileSystem::posix().openForRead(path);
}

int64_t bytesArgument(const Value& v, int argument, const char* name, int64_t usual, int64_t most) {
    if (isOmitted(v) || v.isVoid()) return usual;
    if (!v.isNumber() || !v.isScalar() || v.isNull() || v.asLong() < 0 || v.asLong() > most)
        throw UserError(argument,
                        std::string(name) + " must be a number of bytes from 0 to " + std::to_string(most) + ".");
    return v.asLong();
}

Value serverLogLength(Context& context, Arguments) {
    return Value::ofLong(openLog(context)->size());
}

// getServerLog([length], [offset], [fromHead=true])
Value serverLog(Context& context, Arguments arguments) {
    const std::unique_ptr<File> file = openLog(context);
    const int64_t size = file->size();
    const int64_t length = std::min(bytesArgument(arguments[0], 0, "length", kUsualBytes, kMaxBytes), size);
    const bool hasOffset = !isOmitted(arguments[1]) && !arguments[1].isVoid();
    const int64_t offset = std::min(bytesArgument(arguments[1], 1, "offset", 0, INT64_MAX), size);
    const bool fromHead =
        isOmitted(arguments[2]) || arguments[2].isVoid() || (arguments[2].isScalar() && arguments[2].asLong() != 0);
    const int64_t begin = hasOffset && fromHead ? offset : std::max<int64_t>(0, size - offset - length);
    std::string bytes(static_cast<size_t>(std::min(length, size - begin)), '\0');
    bytes.resize(file->readAt(begin, bytes.data(), bytes.size()));
    std::vector<std::string> lines;
    for (size_t at = 0; at < bytes.size();) {
        const size_t end = std::min(bytes.find('\n', at), bytes.size());
        // The line in whose middle the range begins is left out.
        if (begin == 0 || at > 0) lines.push_back(bytes.substr(at, end - at));
        at = end + 1;
    }
    return Value::of(Vector::ofStrings(lines));
}

}  // namespace

void registerLogBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Admin, Effect::Writes);
    const FunctionTheme theme("sessions and jobs");
    registry.add("getServerLogLength()", serverLogLength,
                 {.summary = "The length of the server's log in bytes, as LONG.",
                  .errors = "The user is no administrator, or the log goes to no file.",
                  .example = "getServerLogLength()"},
                 kReads);
    registry.add("getServerLog([length=102400], [offset], [fromHead=true])", serverLog,
                 {.summary = "Lines of the server's log, as a STRING vector; without arguments the last 100 KiB.",
                  .parameters = "length: how many bytes are read, at most 16 MiB\noffset: where they begin; with "
                                "fromHead=false, how many bytes behind them are left out\nfromHead: whether offset "
                                "counts from the beginning of the log",
                  .errors = "The user is no administrator, or the log goes to no file.",
                  .example = "log = getServerLog(); log[log like \"%ERROR%\"]"},
                 kReads);
}

}  // namespace pelorus
