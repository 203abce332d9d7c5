// Values of json and jsonb as trees that keep what was written: the digits of numbers, and the order of members.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus::postgres {

// One value with all that is in it.
struct JsonValue {
    enum class Kind : uint8_t { Null, Bool, Number, String, Array, Object };

    Kind kind = Kind::Null;
    std::string text;                // of a string, without quotes and escapes; of a number and a boolean, as written
    std::vector<JsonValue> items;    // of an array; of an object, one for each name
    std::vector<std::string> names;  // of an object
};

// Parses a text. Throws SqlError 22P02 for one that is no JSON, 54001 beyond 1,000 levels.
JsonValue parseJson(std::string_view text);

// Makes it what jsonb keeps: of members of one name the last, members by the length of their names and by their bytes,
// numbers without exponents. Throws SqlError 22003 for numbers of more than 10,000 digits, 22P05 for texts with NUL.
void makeCanonical(JsonValue& value);

// Returns it as text, with blanks as PostgreSQL sets them.
std::string jsonText(const JsonValue& value);

// Returns a text as json keeps it, or in the form of jsonb. Throws as parseJson and makeCanonical.
std::string checkedJson(std::string_view text, bool isBinary);

// Returns whether a canonical value has all that is in another one, at the same places of objects and at any of arrays.
// Quadratic in the lengths of arrays.
bool contains(const JsonValue& value, const JsonValue& part);

// Return what is in an object under a name, the last of several, and in an array at a place, which counts from the end
// where it is negative. Null where there is none, and for other kinds of values.
const JsonValue* memberOf(const JsonValue& value, std::string_view name);
const JsonValue* elementOf(const JsonValue& value, int64_t place);

}  // namespace pelorus::postgres
