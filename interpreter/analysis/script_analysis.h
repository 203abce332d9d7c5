// ScriptAnalysis resolves the names of a document: where each is defined and used, and what the source text says about
// its value.
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

// A range of bytes of the source text.
struct TextRange {
    size_t begin = 0, end = 0;
    bool contains(size_t place) const { return begin <= place && place <= end; }
};

enum class SymbolKind : uint8_t { Variable, Constant, Parameter, Function, Class, Method, Shared };

// A name that the source text defines.
struct ScriptSymbol {
    std::string name;
    SymbolKind kind = SymbolKind::Variable;
    int scope = 0;          // index of ScriptAnalysis::scopes
    TextRange definition;   // the name where it is defined first
    TextRange whole;        // the statement or function that defines it
    std::string signature;  // "f(x, [y])" of functions, methods and classes
    std::string comment;    // the comment lines directly above
    bool isAggregate = false;
    // Shapes of the assigned values, with the offset after each assignment.
    std::vector<std::pair<size_t, ValueShape>> shapes;
    std::vector<std::string> members;  // attributes and methods of a class
    std::string base;                  // name of the class that a class extends
};

// One occurrence of a name.
struct NameOccurrence {
    TextRange place;
    int symbol =
        -1;  // index of ScriptAnalysis::symbols; -1: a built-in, a column, or a name that the text does not define
    int scope = 0;
    bool isWrite = false;      // a definition or an assignment
    bool isCall = false;       // the name of a called function
    bool isColumn = false;     // column of a known table in a query
    bool mayBeColumn = false;  // possibly a column in a query
    bool isInQuery = false;    // within a query or metacode
    bool isTable = false;      // table of a query: variables of the session are visible everywhere there
    bool isRefused = false;    // within a statement that could not be parsed
};

// A function or lambda, or the script itself at index 0. Names of the script are visible in lambdas; a named function
// sees the functions of the script, not its variables.
struct NameScope {
    int parent = -1;
    TextRange range;
    bool isNamed = false;  // scope of a `def name`
};

// The resolved names of a whole source text, with its parse; owns both. Immutable, and so thread-safe.
class ScriptAnalysis {
public:
    // Returns the columns of a stored table that other documents describe; may be empty.
    using StoredColumns =
        std::function<std::vector<std::string>(const std::string& database, const std::string& table)>;

    // Parses and resolves a source text. Throws nothing for any bytes; `roles` are those of parseScript.
    static std::shared_ptr<const ScriptAnalysis> make(std::string text, const NameRoles& roles = {},
                                                      const StoredColumns& columns = {});

    const std::string& text() const { return text_; }
    const RecoveredScript& script() const { return script_; }
    const std::vector<ScriptSymbol>& symbols() const { return symbols_; }
    const std::vector<NameOccurrence>& occurrences() const { return occurrences_; }  // ordered by place
    const std::vector<NameScope>& scopes() const { return scopes_; }
    const std::vector<std::string>& usedModules() const { return usedModules_; }
    const std::string& moduleName() const { return moduleName_; }  // name in `module a::b`

    std::string_view textOf(TextRange range) const {
        return std::string_view(text_).substr(range.begin, range.end - range.begin);
    }
    // Returns the innermost scope around a place.
    int scopeAt(size_t place) const;
    // Returns the symbol that a name denotes in a scope; -1 when there is none.
    int resolve(std::string_view name, int scope) const;
    // Resolves a table of a query: here a function sees the script's variables, too.
    int resolveTable(std::string_view name, int scope) const;
    // Returns the occurrence whose name touches the place; null when there is none.
    const NameOccurrence* occurrenceAt(size_t place) const;
    // Returns the token that touches the place, the later one of two; null when there is none.
    const Token* tokenAt(size_t place) const;
    // Returns the innermost statement that the place belongs to, with the blanks after it up to the next statement:
    // completion reads this part of the source text only.
    TextRange statementAt(size_t place) const;
    // Returns the shape of the variable's value at a place, that of the last assignment before it.
    const ValueShape* shapeAt(int symbol, size_t place) const;
    // Returns the members of a class and of those that it extends.
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
