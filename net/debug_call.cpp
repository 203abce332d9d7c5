#include "net/debug_call.h"

#include <cstring>

#include "common/error.h"
#include "common/type_table.h"

namespace pelorus {

namespace {

constexpr int kMaxDepth = 4;
constexpr uint8_t kDictionaryForm = 5, kVectorForm = 1, kScalarForm = 0;

[[noreturn]] void malformedCall(const char* what) {
    throw UserError(std::string("A call of the debugger is malformed: ") + what + ".");
}

constexpr uint16_t kind(uint8_t form, Type type) {
    return static_cast<uint16_t>(form << 8 | static_cast<uint8_t>(type));
}

// Reads bytes of one call, of which a client cannot make it keep more than it sends.
class CallReader {
public:
    CallReader(ByteSource& source, int64_t limitBytes) : source_(source), left_(limitBytes) {}

    template <class T>
    T take() {
        charge(sizeof(T));
        T x;
        source_.read(&x, sizeof x);
        return x;
    }
    std::string string() {
        std::string string;
        source_.readUntilZero(string, static_cast<size_t>(left_));
        charge(static_cast<int64_t>(string.size()) + 1);
        return string;
    }
    // Reads the shape of a vector, and returns its length.
    int32_t length() {
        const auto rows = take<int32_t>();
        if (take<int32_t>() != 1 || rows < 0) malformedCall("a vector has no valid length");
        return rows;
    }
    uint16_t kindHead() {
        const auto type = take<uint8_t>();
        return static_cast<uint16_t>(take<uint8_t>() << 8 | type);
    }
    DebugArgument argument(int depth) {
        using Kind = DebugArgument::Kind;
        DebugArgument a;
        switch (kindHead()) {
            case kind(kScalarForm, Type::Void):
                take<uint8_t>();
                return a;
            case kind(kScalarForm, Type::Bool):
                a.kind = Kind::Bool;
                a.integer = take<int8_t>() == 1;
                return a;
            case kind(kScalarForm, Type::Int):
                a.kind = Kind::Integer;
                a.integer = take<int32_t>();
                return a;
            case kind(kScalarForm, Type::String):
                a.kind = Kind::String;
                a.string = string();
                return a;
            case kind(kVectorForm, Type::Int):
                a.kind = Kind::Integers;
                for (int32_t n = length(); n > 0; --n) a.integers.push_back(take<int32_t>());
                return a;
            case kind(kVectorForm, Type::String):
                a.kind = Kind::Strings;
                for (int32_t n = length(); n > 0; --n) a.strings.push_back(string());
                return a;
            case kind(kVectorForm, Type::Any):
                a.kind = Kind::List;
                if (depth == kMaxDepth) malformedCall("its lists are nested too deep");
                for (int32_t n = length(); n > 0; --n) a.list.push_back(argument(depth + 1));
                return a;
            default:
                malformedCall("an argument is of no type that it takes");
        }
    }

private:
    void charge(int64_t bytes) {
        left_ -= bytes;
        if (left_ < 0) malformedCall("it is too long; log in first, or raise maxRequestBytes");
    }

    ByteSource& source_;
    int64_t left_;
};

}  // namespace

int64_t DebugArgument::requireInteger() const {
    if (kind != Kind::Integer && kind != Kind::Bool) throw UserError("An argument of the call must be an integer.");
    return integer;
}

const std::string& DebugArgument::requireString() const {
    if (kind != Kind::String) throw UserError("An argument of the call must be a string.");
    return string;
}

std::vector<int32_t> DebugArgument::requireIntegers() const {
    if (kind == Kind::Integers) return integers;
    if (elements().empty()) return {};
    throw UserError("An argument of the call must be a list of integers.");
}

std::vector<std::string> DebugArgument::requireStrings() const {
    if (kind == Kind::Strings) return strings;
    if (elements().empty()) return {};
    throw UserError("An argument of the call must be a list of strings.");
}

std::vector<DebugArgument> DebugArgument::elements() const {
    std::vector<DebugArgument> all;
    switch (kind) {
        case Kind::List:
            return list;
        case Kind::Integers:
            for (const int32_t x : integers) {
                all.emplace_back();
                all.back().kind = Kind::Integer;
                all.back().integer = x;
            }
            return all;
        case Kind::Strings:
            for (const std::string& x : strings) {
                all.emplace_back();
                all.back().kind = Kind::String;
                all.back().string = x;
            }
            return all;
        default:
            throw UserError("An argument of the call must be a list.");
    }
}

DebugCall readDebugCall(ByteSource& source, int64_t limitBytes) {
    CallReader reader(source, limitBytes);
    if (reader.kindHead() != kind(kDictionaryForm, Type::Any)) malformedCall("it is no dictionary");
    const DebugArgument keys = reader.argument(0);
    const DebugArgument values = reader.argument(0);
    // Values of one type arrive as a vector of it.
    const std::vector<DebugArgument> given = values.elements();
    const std::vector<std::string> names = keys.requireStrings();
    if (names.size() != given.size() || names.size() > 8) malformedCall("it has not one value for each key");
    DebugCall call;
    for (size_t i = 0; i < names.size(); ++i) {
        if (names[i] == "id") call.id = given[i].requireInteger();
        if (names[i] == "func") call.function = given[i].requireString();
        if (names[i] == "data") call.data = given[i];
    }
    if (call.function.empty()) malformedCall("it names no function");
    return call;
}

std::string debugMessage(const nlohmann::json& message, const std::string& objects) {
    const std::string string = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const auto length = static_cast<uint32_t>(string.size());
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    return bytes + string + objects;
}

}  // namespace pelorus
