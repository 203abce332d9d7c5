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
static Type sharedType(const std::vector<Value>& items, Scales scales = Scales::One) {
    Type type = Type::Void;
    int scale = -1;
    for (const Value& item : items) {
        if (!item.isScalar()) return Type::Any;
        if (scales == Scales::One && isDecimal(item.type()) && !item.isNull()) {
            if (scale >= 0 && scale != item.extra()) return Type::Any;
            scale = item.extra();
        }
        type = commonType(type, item.type());
        if (type == Type::Any || storageOf(type) == Storage::Boxed) return Type::Any;
    }
    return type;
}

static Value vectorOf(std::vector<Value> items, Type type) {
    if (items.empty() || type == Type::Any || type == Type::Void) return Value::of(makeRef<Tuple>(std::move(items)));
    Ref<Vector> result = Vector::make(type, static_cast<int64_t>(items.size()));
    for (const Value& item : items) {
        if (isDecimal(item.type())) result->setScale(std::max(result->scale(), item.extra()));
    }
    for (size_t i = 0; i < items.size(); ++i) {
        result->set(static_cast<int64_t>(i), items[i].isVoid() ? items[i] : cast(items[i], type, result->scale()));
    }
    return Value::of(result);
}

Value listOf(std::vector<Value> items) {
    const Type type = sharedType(items);
    return vectorOf(std::move(items), type);
}

Value columnOf(std::vector<Value> cells) {
    const Type type = sharedType(cells, Scales::Any);
    return vectorOf(std::move(cells), type);
}

static bool areEqualVectors(const std::vector<Value>& items, Type& type) {
    type = Type::Void;
    for (const Value& item : items) {
        if (!item.isTypedVector() || item.size() != items[0].size()) return false;
        type = commonType(type, item.type());
    }
    return type != Type::Any && type != Type::Void && !items.empty();
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
        std::vector<Value> items;
        for (const Value& row : rows) items.push_back(row.dictionary().get(first.keyAt(c)));
        table->setColumn(scalarText(first.keyAt(c)), listOf(std::move(items)));
    }
    return Value::of(Ref<Table>(table));
}

// Replaces a missing result among vectors, as the first of eachPre, by a vector of NULLs.
static void fillMissing(std::vector<Value>& items) {
    const Value* vector = nullptr;
    for (const Value& item : items) {
        if (item.isTypedVector()) {
            vector = &item;
        } else if (!item.isVoid()) {
            return;
        }
    }
    if (!vector) return;
    Value nulls = Value::of(Vector::filled(vector->type(), vector->size(), Value()));
    for (Value& item : items) {
        if (item.isVoid()) item = nulls;
    }
}

// Whether all results have one type, NULL without a type and the types of strings apart.
static bool areOfOneType(const std::vector<Value>& items) {
    Type type = Type::Void;
    for (const Value& item : items) {
        if (item.isVoid() || (type != Type::Void && isLiteral(type) && isLiteral(item.type()))) continue;
        if (type != Type::Void && item.type() != type) return false;
        type = item.type();
    }
    return true;
}

static Value byDefault(std::vector<Value> items) {
    if (!areOfOneType(items)) return Value::of(makeRef<Tuple>(std::move(items)));
    Type type = sharedType(items);
    if (type != Type::Any && type != Type::Void) return listOf(std::move(items));
    fillMissing(items);
    if (areEqualVectors(items, type) && items[0].size() > 0) return matrixOf(items, type);
    bool dictionaries = std::all_of(items.begin(), items.end(), [](const Value& v) { return v.isDictionary(); });
    if (dictionaries) return tableOf(items);
    return Value::of(makeRef<Tuple>(std::move(items)));
}

static Value byFirst(std::vector<Value> items) {
    const Value first = items[0];
    if (first.isVoid()) return byDefault(std::move(items));
    for (size_t i = 1; i < items.size(); ++i) {
        Value& item = items[i];
        bool fits =
            item.form() == first.form() && (first.isScalar() || !first.isVector() || item.size() == first.size());
        if (!fits) {
            throw UserError(fmt::format("Result {} is {}, but the first is {}: the rule C needs results of one form.",
                                        i, typeString(item), typeString(first)),
                            "Use the rule D or U.");
        }
        bool typed = (first.isScalar() || first.isVector()) && !first.isTuple() && item.type() != first.type();
        if (typed) item = cast(item, first.type(), first.extra());
    }
    return byDefault(std::move(items));
}

Value assemble(std::vector<Value> items, AssembleRule rule) {
    if (items.empty() || rule == AssembleRule::Tuple) return Value::of(makeRef<Tuple>(std::move(items)));
    if (rule == AssembleRule::Consistent) return byFirst(std::move(items));
    bool vectors = rule == AssembleRule::Kdb &&
                   std::any_of(items.begin(), items.end(), [](const Value& v) { return v.isVector(); });
    if (vectors) return Value::of(makeRef<Tuple>(std::move(items)));
    return byDefault(std::move(items));
}

}  // namespace pelorus
