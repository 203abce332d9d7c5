#include "stdlib/value_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"

namespace pelorus {

const Function& functionArgument(Arguments arguments, size_t i) {
    if (!arguments[i].isFunction()) {
        throw UserError(static_cast<int>(i),
                        fmt::format("func must be a function, but it is {}.", typeString(arguments[i])));
    }
    return arguments[i].function();
}

Value callWith(const Function& f, Context& context, std::vector<Value> arguments) {
    return f.call(context, arguments);
}

Value callNamed(Context& context, std::string_view name, std::vector<Value> arguments) {
    return FunctionRegistry::instance().get(name).call(context, arguments);
}

int64_t partCount(const Value& v) {
    if (v.isScalar()) return -1;
    return v.isMatrix() ? v.matrix().columns : v.size();
}

int64_t commonCount(std::span<const Value> arguments) {
    int64_t count = -1;
    for (const Value& v : arguments) {
        int64_t n = partCount(v);
        if (n < 0) continue;
        if (count >= 0 && n != count) {
            throw UserError(fmt::format("The arguments to walk in step differ in length: {} and {}.", count, n));
        }
        count = n;
    }
    return count;
}

std::vector<Value> stepArguments(std::span<const Value> arguments, int64_t i) {
    std::vector<Value> step;
    step.reserve(arguments.size());
    for (const Value& v : arguments) step.push_back(partCount(v) < 0 ? v : v.at(i));
    return step;
}

static AssembleRule ruleOf(Arguments arguments, size_t i) {
    const Value& v = arguments[i];
    constexpr std::string_view kLetters = "DCUK";
    if (v.isString() && v.string().size() == 1) {
        size_t at = kLetters.find(v.string()[0]);
        if (at != std::string_view::npos) return static_cast<AssembleRule>(at);
    }
    if (v.isScalar() && v.type() == Type::Char && !v.isNull()) {
        size_t at = kLetters.find(static_cast<char>(v.integer()));
        if (at != std::string_view::npos) return static_cast<AssembleRule>(at);
    }
    if (v.isScalar() && v.type() == Type::Bool) return isTrue(v) ? AssembleRule::Consistent : AssembleRule::Default;
    bool number = v.isNumber() && isIntegral(v.type()) && v.integer() >= 0 && v.integer() < 4;
    if (!number) refuseArgument(i, "assembleRule", "0 to 3, or one of D, C, U and K", v);
    return static_cast<AssembleRule>(v.integer());
}

AssembleRule ruleArgument(Arguments arguments, size_t i) {
    if (isGiven(arguments, i + 1)) {
        return flagArgument(arguments, i + 1, "consistent", false) ? AssembleRule::Consistent : AssembleRule::Default;
    }
    return isGiven(arguments, i) ? ruleOf(arguments, i) : AssembleRule::Default;
}

static Value withKeys(const Dictionary& source, const std::vector<Value>& results) {
    if (static_cast<int64_t>(results.size()) != source.size()) {
        throw UserError(fmt::format("A dictionary of {} keys needs as many results, but there are {}.", source.size(),
                                    results.size()),
                        "Give the values of the dictionary: d.values().");
    }
    Type type = results.empty() ? Type::Any : results[0].type();
    for (const Value& v : results) {
        if (!v.isScalar() || v.type() != type || v.isVoid()) type = Type::Any;
    }
    auto result = makeRef<Dictionary>(source.keyType(), type, source.ordered());
    for (int64_t i = 0; i < source.size(); ++i) result->set(source.keyAt(i), results[static_cast<size_t>(i)]);
    return Value::of(result);
}

Value assembleResults(std::vector<Value> results, AssembleRule rule, const Value& source) {
    if (source.isDictionary()) return withKeys(source.dictionary(), results);
    Value whole = assemble(std::move(results), rule);
    if (!whole.isMatrix() || !source.isMatrix()) return whole;
    const Matrix& from = source.matrix();
    Matrix& to = whole.matrix();
    if (to.columns == from.columns) {
        if (to.rows == from.rows) {
            to.copyLabels(from);
        } else {
            to.columnLabels = from.columnLabels;
        }
    }
    return whole;
}

static Value labelsOf(const Value& v) {
    if (v.isMatrix()) return v.matrix().columnLabels;
    if (v.isPair()) return Value::of(Ref<Vector>(&v.vector()));
    if (!v.isTuple()) return v.isVector() ? v : Value();
    std::vector<std::string> names;
    for (const Value& element : v.tuple().elements) {
        if (!element.isFunction() || element.function().name().empty()) return Value();
        names.emplace_back(element.function().name());
    }
    return Value::of(Vector::ofStrings(names));
}

Value withColumnLabels(Value matrix, const Value& labels) {
    if (!matrix.isMatrix()) return matrix;
    Value names = labelsOf(labels);
    if (names.isVector() && names.size() == matrix.matrix().columns) matrix.matrix().columnLabels = names;
    return matrix;
}

std::vector<Value> columnsOf(const Value& v) {
    std::vector<Value> columns;
    if (v.isMatrix()) {
        for (int64_t c = 0; c < v.matrix().columns; ++c) columns.push_back(Value::of(v.matrix().column(c)));
    } else if (v.isTable()) {
        const Ref<MemoryTable> table = tableToRead(v);
        if (!table) throw UserError("A partitioned table can't be walked by row.", "Select from it first.");
        for (int c = 0; c < table->columnCount(); ++c) columns.push_back(table->column(c));
    } else if (v.isTuple()) {
        columns = v.tuple().elements;
    } else {
        columns.push_back(v);
    }
    return columns;
}

Value columnsLike(std::vector<Value> columns, const Value& like) {
    if (like.isTable()) {
        auto result = makeRef<MemoryTable>();
        for (size_t c = 0; c < columns.size(); ++c) {
            Value& v = columns[c];
            result->setColumn(like.table().columns()[c].name, v.isScalar() ? listOf({v}) : v);
        }
        return Value::of(Ref<Table>(result));
    }
    if (like.isTuple()) return Value::of(makeRef<Tuple>(std::move(columns)));
    return assembleResults(std::move(columns), AssembleRule::Default, like);
}

}  // namespace pelorus
