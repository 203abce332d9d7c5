// Short DNA sequences packed into integers: two bits for each base, the length in the bits above, from a whole byte on.
#include "runtime/kernel/forms/elementwise.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/string/map_strings.h"

namespace pelorus {

namespace {

constexpr std::string_view kBases = "ATCG";
constexpr size_t kLongest = 28;

// The bit at which the length begins: after the bases, at the next whole byte.
int lengthShift(size_t bases) {
    return static_cast<int>((bases * 2 + 7) / 8 * 8);
}

int64_t encoded(std::string_view bases) {
    if (bases.size() > kLongest) return null<int64_t>;
    int64_t code = 0;
    for (char c : bases) {
        const size_t digit = kBases.find(c);
        if (digit == std::string_view::npos) return null<int64_t>;
        code = code << 2 | static_cast<int64_t>(digit);
    }
    return bases.empty() ? 0 : code | static_cast<int64_t>(bases.size()) << lengthShift(bases.size());
}

std::string decoded(int64_t code) {
    for (size_t bases = 1; bases <= kLongest && !isNull(code); ++bases) {
        if (code >> lengthShift(bases) != static_cast<int64_t>(bases)) continue;
        std::string string(bases, ' ');
        for (size_t i = 0; i < bases; ++i) {
            string[bases - 1 - i] = kBases[static_cast<size_t>(code >> (2 * i) & 3)];
        }
        return string;
    }
    return "";
}

// Returns a string, or the characters of a CHAR vector.
std::string basesArgument(Arguments a) {
    if (a[0].isString()) return std::string(a[0].string());
    if (!a[0].isTypedVector() || a[0].type() != Type::Char) refuseArgument(0, "X", "a string or a CHAR vector", a[0]);
    const auto* elements = a[0].vector().data<int8_t>();
    return std::string(elements, elements + a[0].size());
}

Value encodeKernel(Context&, Arguments a) {
    if (a[0].isString() || a[0].type() == Type::Char) return Value::ofLong(encoded(basesArgument(a)));
    return mapStringsToValues(Type::Long, a[0], [](std::string_view string) { return Value::ofLong(encoded(string)); });
}

Value decodeKernel(Context&, Arguments a) {
    return mapElements(a[0], [](const Vector& v) {
        if (!isIntegral(v.type()))
            throw UserError(0, fmt::format("X must be integral, but it is {}.", typeName(v.type())));
        Ref<Vector> out = Vector::make(Type::String, v.size());
        for (int64_t i = 0; i < v.size(); ++i) out->setString(i, decoded(v.asLong(i)));
        return out;
    });
}

// genShortGenomeSeq(X, window): the code of the window that begins at each base.
Value windowsKernel(Context&, Arguments a) {
    const std::string bases = basesArgument(a);
    const int64_t window = integerArgument(a, 1, "window");
    if (window < 2 || window > static_cast<int64_t>(kLongest)) refuseArgument(1, "window", "between 2 and 28", a[1]);
    const auto width = static_cast<size_t>(window);
    Ref<Vector> out = Vector::make(Type::Long, static_cast<int64_t>(bases.size()));
    for (size_t i = 0; i < bases.size(); ++i) {
        out->mutableData<int64_t>()[i] =
            i + width <= bases.size() ? encoded(std::string_view(bases).substr(i, width)) : null<int64_t>;
    }
    const Type type = window <= 4 ? Type::Short : window <= 12 ? Type::Int : Type::Long;
    return Value::of(cast(*out, type));
}

}  // namespace

void registerGenome(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, std::string_view alias, Kernel kernel, std::string_view summary,
                   std::string_view nulls, std::string_view example, const Declaration& declaration) {
        registry.add(syntax, kernel, {.summary = summary, .nulls = nulls, .example = example}, declaration);
        registry.alias(alias, syntax.substr(0, syntax.find('(')));
    };
    add("encodeShortGenomeSeq(X)", "encodeSGS", encodeKernel,
        "A DNA sequence of up to 28 letters A, T, C and G as LONG.", "NULL for longer ones and for other letters.",
        "encodeShortGenomeSeq(`GAT) -> 817", {.gives = is(Type::Long), .kind = FunctionKind::RowWise});
    add("decodeShortGenomeSeq(X)", "decodeSGS", decodeKernel, "The DNA sequence that encodeShortGenomeSeq made X from.",
        "The empty string for NULL.", "decodeShortGenomeSeq(817) -> GAT",
        {.gives = is(Type::String), .kind = FunctionKind::Elementwise});
    add("genShortGenomeSeq(X, window)", "genSGS", windowsKernel,
        "The code of the window of a DNA sequence that begins at each letter; SHORT, INT or LONG by its length.",
        "NULL where the window leaves X or holds other letters.", "genShortGenomeSeq(`GATG, 3) -> [817,775,,]",
        {.gives = varying(), .kind = FunctionKind::RowWise});
}

}  // namespace pelorus
