// Names of a document: where each is defined, where it is used, and what the text says about its value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interpreter/analysis/value_shape.h"
#include "interpreter/parser/recovered_script.h"

namespace pelorus {

// Bytes of a text.
struct TextRange {
    size_t begin = 0, end = 0;
    bool contains(size_t place) const { return begin <= place && place <= end; }
};

enum class SymbolKind : uint8_t { Variable, Constant, Parameter, Function, Class, Method, Shared };

struct ScriptSymbol {
    std::string name;
    SymbolKind kind = SymbolKind::Variable;
    int scope = 0;          // index of ScriptAnalysis::scopes
    TextRange definition;   // the name where it is defined first
    TextRange whole;        // the statement or function that defines it
    std::string signature;  // "f(x, [y])" of functions, methods and classes
    std::string comment;    // the comment lines directly above
    bool isAggregate = false;
    // Shapes of the assigned values, with the offset behind each assignment.
    std::vector<std::pair<size_t, ValueShape>> shapes;
    std::vector<std::string> members;  // of a class: attributes and methods
    std::string base;                  // of a class: the class that it extends
};

// One place where a name stands.
struct NameOccurrence {
    TextRange place;
    int symbol =
        -1;  // index of ScriptAnalysis::symbols; -1: a built-in, a column, or a name that the text does not define
    int scope = 0;
    bool isWrite = false;      // a definition or an assignment
    bool isCall = false;       // the name of a called function
    bool isColumn = false;     // in a query, a column of a table that is known
    bool mayBeColumn = false;  // in a query
    bool isInQuery = false;    // or in metacode
    bool isTable = false;      // where a query names its tables: variables of the session are seen from everywhere
    bool isRefused = false;    // in a statement that could not be parsed
};

// A function or lambda, or the script itself at index 0. Names of the script are visible in lambdas; a named function
// sees the functions of the script, not its variables.
struct NameScope {
    int parent = -1;
    TextRange range;
    bool isNamed = false;  // of `def name`
};

// Name resolution of a whole text; immutable once made. It keeps the text and the parse.
class ScriptAnalysis {
public:
    // Stored tables that other documents tell about; may be empty.
    using StoredColumns =
        std::function<std::vector<std::string>(const std::string& database, const std::string& table)>;

    // Throws nothing for any bytes; `roles` as for parseScript.
    static std::shared_ptr<const ScriptAnalysis> make(std::string text, const NameRoles& roles = {},
                                                      const StoredColumns& columns = {});

    const std::string& text() const { return text_; }
    const RecoveredScript& script() const { return script_; }
    const std::vector<ScriptSymbol>& symbols() const { return symbols_; }
    const std::vector<NameOccurrence>& occurrences() const { return occurrences_; }  // by place
    const std::vector<NameScope>& scopes() const { return scopes_; }
    const std::vector<std::string>& usedModules() const { return usedModules_; }
    const std::string& moduleName() const { return moduleName_; }  // of `module a::b`

    std::string_view textOf(TextRange range) const {
        return std::string_view(text_).substr(range.begin, range.end - range.begin);
    }
    // The innermost scope around a place.
    int scopeAt(size_t place) const;
    // The symbol of that name that code at this place of the scope means; -1 when there is none.
    int resolve(std::string_view name, int scope) const;
    // Likewise for the tables of a query, for which a function sees the script's variables, too.
    int resolveTable(std::string_view name, int scope) const;
    // The occurrence whose name touches the place; null when there is none.
    const NameOccurrence* occurrenceAt(size_t place) const;
    // The token that touches the place, the later one of two; null when there is none.
    const Token* tokenAt(size_t place) const;
    // The innermost statement that the place belongs to, with the blanks after it up to the next statement: completion
    // looks at this part of the text only.
    TextRange statementAt(size_t place) const;
    // The shape of the variable's value at a place: that of the last assignment before it.
    const ValueShape* shapeAt(int symbol, size_t place) const;
    // Members of a class and of those that it extends.
    std::vector<std::string> membersOfClass(std::string_view name) const;

private:
    friend class ScriptAnalyzer;
    std::string text_;
    RecoveredScript script_;
    std::vector<ScriptSymbol> symbols_;
    std::vector<NameOccurrence> occurrences_;
    std::vector<NameScope> scopes_;
    std::vector<std::unordered_map<std::string, int>> names_;  // per scope
    std::vector<std::string> usedModules_;
    std::string moduleName_;
};

}  // namespace pelorus
