#include "runtime/kernel/index/assemble.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {

enum class Scales : uint8_t { One, Any };

// Returns the type that all scalars share, or Any.
static Type sharedType(const std::vector<Value>& elements, Scales scales = Scales::One) {
    Type type = Type::Void;
    int scale = -1;
    for (const Value& element : elements) {
        if (!element.isScalar()) return Type::Any;
        if (scales == Scales::One && isDecimal(element.type()) && !element.isNull()) {
            if (scale >= 0 && scale != element.extra()) return Type::Any;
            scale = element.extra();
        }
        type = commonType(type, element.type());
        if (type == Type::Any || storageOf(type) == Storage::Boxed) return Type::Any;
    }
    return type;
}

static Value vectorOf(std::vector<Value> elements, Type type) {
    if (elements.empty() || type == Type::Any || type == Type::Void)
        return Value::of(makeRef<Tuple>(std::move(elements)));
    Ref<Vector> result = Vector::make(type, static_cast<int64_t>(elements.size()));
    for (const Value& element : elements) {
        if (isDecimal(element.type())) result->setScale(std::max(result->scale(), element.extra()));
    }
    for (size_t i = 0; i < elements.size(); ++i) {
        result->set(static_cast<int64_t>(i),
                    elements[i].isVoid() ? elements[i] : cast(elements[i], type, result->scale()));
    }
    return Value::of(result);
}

Value listOf(std::vector<Value> elements) {
    const Type type = sharedType(elements);
    return vectorOf(std::move(elements), type);
}

Value columnOf(std::vector<Value> cells) {
    const Type type = sharedType(cells, Scales::Any);
    return vectorOf(std::move(cells), type);
}

static bool areEqualVectors(const std::vector<Value>& elements, Type& type) {
    type = Type::Void;
    for (const Value& element : elements) {
        if (!element.isTypedVector() || element.size() != elements[0].size()) return false;
        type = commonType(type, element.type());
    }
    return type != Type::Any && type != Type::Void && !elements.empty();
}

static Value matrixOf(const std::vector<Value>& columns, Type type) {
    int64_t rows = columns[0].size();
    Ref<Vector> cells = Vector::make(type, 0, rows * static_cast<int64_t>(columns.size()));
    for (const Value& c : columns) {
        Ref<Vector> converted = cast(c.vector(), type);
        cells->append(*converted, 0, rows);
    }
    CHECK(cells->size() == rows * std::ssize(columns)) << "a matrix has a cell for each row of each column";
    return Value::of(makeRef<Matrix>(cells, rows, static_cast<int64_t>(columns.size())));
}

// Makes a table from rows as dictionaries; columns are the keys of the first.
static Value tableOf(const std::vector<Value>& rows) {
    const Dictionary& first = rows[0].dictionary();
    auto table = makeRef<MemoryTable>();
    for (int64_t c = 0; c < first.size(); ++c) {
        std::vector<Value> elements;
        for (const Value& row : rows) elements.push_back(row.dictionary().get(first.keyAt(c)));
        table->setColumn(toString(first.keyAt(c)), listOf(std::move(elements)));
    }
    return Value::of(Ref<Table>(table));
}

// Replaces a missing result among vectors, as the first of eachPre, by a vector of NULLs.
static void fillMissing(std::vector<Value>& elements) {
    const Value* vector = nullptr;
    for (const Value& element : elements) {
        if (element.isTypedVector()) {
            vector = &element;
        } else if (!element.isVoid()) {
            return;
        }
    }
    if (!vector) return;
    Value nulls = Value::of(Vector::filled(vector->type(), vector->size(), Value()));
    for (Value& element : elements) {
        if (element.isVoid()) element = nulls;
    }
}

// Returns whether all results have one type, NULL without a type and the types of strings apart.
static bool areOfOneType(const std::vector<Value>& elements) {
    Type type = Type::Void;
    for (const Value& element : elements) {
        if (element.isVoid() || (type != Type::Void && isLiteral(type) && isLiteral(element.type()))) continue;
        if (type != Type::Void && element.type() != type) return false;
        type = element.type();
    }
    return true;
}

static Value byDefault(std::vector<Value> elements) {
    if (!areOfOneType(elements)) return Value::of(makeRef<Tuple>(std::move(elements)));
    Type type = sharedType(elements);
    if (type != Type::Any && type != Type::Void) return listOf(std::move(elements));
    fillMissing(elements);
    if (areEqualVectors(elements, type) && elements[0].size() > 0) return matrixOf(elements, type);
    bool dictionaries = std::all_of(elements.begin(), elements.end(), [](const Value& v) { return v.isDictionary(); });
    if (dictionaries) return tableOf(elements);
    return Value::of(makeRef<Tuple>(std::move(elements)));
}

static Value byFirst(std::vector<Value> elements) {
    const Value first = elements[0];
    if (first.isVoid()) return byDefault(std::move(elements));
    for (size_t i = 1; i < elements.size(); ++i) {
        Value& element = elements[i];
        bool fits =
            element.form() == first.form() && (first.isScalar() || !first.isVector() || element.size() == first.size());
        if (!fits) {
            throw UserError(fmt::format("Result {} is {}, but the first is {}: the rule C needs results of one form.",
                                        i, typeString(element), typeString(first)),
                            "Use the rule D or U.");
        }
        bool typed = (first.isScalar() || first.isVector()) && !first.isTuple() && element.type() != first.type();
        if (typed) element = cast(element, first.type(), first.extra());
    }
    return byDefault(std::move(elements));
}

Value assemble(std::vector<Value> elements, AssembleRule rule) {
    if (elements.empty() || rule == AssembleRule::Tuple) return Value::of(makeRef<Tuple>(std::move(elements)));
    if (rule == AssembleRule::Consistent) return byFirst(std::move(elements));
    bool vectors = rule == AssembleRule::Kdb &&
                   std::any_of(elements.begin(), elements.end(), [](const Value& v) { return v.isVector(); });
    if (vectors) return Value::of(makeRef<Tuple>(std::move(elements)));
    return byDefault(std::move(elements));
}

}  // namespace pelorus
