// Parameter types of built-ins: the values that each parameter takes, as sets of types and forms.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/type_table.h"
#include "runtime/value/value.h"

namespace pelorus {

// A set of types, by id. Array vectors count by the type of their elements.
using TypeSet = uint64_t;

constexpr TypeSet typeSet(Type type) {
    return TypeSet{1} << static_cast<int>(elementTypeOf(type));
}
constexpr TypeSet typesOf(Category category) {
    TypeSet set = 0;
    for (const TypeFacts& f : kTypeTable) {
        if (f.category == category) set |= typeSet(f.type);
    }
    return set;
}

// A set of forms, by id; tuples and array vectors, which have no form id, follow.
using FormSet = uint32_t;

constexpr FormSet formSet(Form form) {
    return FormSet{1} << static_cast<int>(form);
}
constexpr FormSet kTuples = FormSet{1} << 16;
constexpr FormSet kArrayVectors = FormSet{1} << 17;
// Forms that are walked: their elements, columns or values are taken one by one.
constexpr FormSet kContainers = kTuples | formSet(Form::Dictionary) | formSet(Form::Table);
constexpr FormSet kAnyForm = ~FormSet{0};

// The values that one parameter takes.
struct Takes {
    enum Special : uint8_t {
        Item,      // a value; of an elementwise function, element by element
        Together,  // a value that counts as a whole for all elements of the others: the second argument of `in`
        Constant,  // one that is known before the first row: a width, a format, a type's name
        Function,  // a function of this many arguments
        Code,      // metacode
        Spelled,   // a value with its source expression: table(x)
    };

    TypeSet types = ~TypeSet{0};
    FormSet forms = kAnyForm;
    Special special = Item;
    std::string_view what = {};  // adjective of the message: "numeric" in "X must be numeric"

    constexpr bool isAnything() const { return types == ~TypeSet{0} && forms == kAnyForm; }
    // VOID, the untyped NULL, is taken wherever a value is.
    bool accepts(const Value& v) const {
        const FormSet form = v.isTuple() ? kTuples : v.isArrayVector() ? kArrayVectors : formSet(v.form());
        if (form & forms & kContainers) return true;  // its elements are checked one by one
        if (!(form & forms)) return false;
        const Type type = v.type();
        return type == Type::Void || (typeSet(type) & types) != 0;
    }
    constexpr Takes operator|(Special also) const {
        Takes t = *this;
        t.special = also;
        return t;
    }
};

constexpr TypeSet kNumberTypes =
    typesOf(Category::Logical) | (typesOf(Category::Integral) & ~typeSet(Type::Compress)) | typesOf(Category::Floating);
constexpr TypeSet kDecimalTypes = typesOf(Category::Denary);
constexpr TypeSet kTemporalTypes = typesOf(Category::Temporal);
constexpr TypeSet kStringTypes = typesOf(Category::Literal);

constexpr Takes kAnything{};
constexpr Takes kTogether = kAnything | Takes::Together;
constexpr Takes kNumber{.types = kNumberTypes | kDecimalTypes, .what = "numeric"};
constexpr Takes kNumberOrTime{.types = kNumberTypes | kDecimalTypes | kTemporalTypes, .what = "numeric or temporal"};
constexpr Takes kWhole{.types = kNumberTypes & ~typesOf(Category::Floating), .what = "integral"};
constexpr Takes kString{.types = kStringTypes, .what = "text"};

// Parameters from left to right; those that are not named take anything. The last one of a variadic function repeats.
constexpr int kDeclaredParameters = 8;
using Parameters = std::array<Takes, kDeclaredParameters>;

}  // namespace pelorus
