#include "devtools/lsp/script_names.h"

#include <set>

namespace pelorus {

namespace {

NameKind kindOfShape(const ValueShape* shape) {
    using Form = ValueShape::Form;
    switch (shape ? shape->form : Form::Unknown) {
        case Form::Table:
            return NameKind::Table;
        case Form::Dictionary:
            return NameKind::Dictionary;
        case Form::Database:
            return NameKind::Database;
        case Form::Instance:
            return NameKind::Instance;
        case Form::Function:
            return NameKind::Function;
        case Form::Unknown:
            break;
    }
    return NameKind::Variable;
}

bool isFunction(SymbolKind kind) {
    return kind == SymbolKind::Function || kind == SymbolKind::Method || kind == SymbolKind::Class;
}

}  // namespace

const ValueShape* ScriptNames::shapeOf(std::string_view name) const {
    const int symbol = analysis_.resolveTable(name, scope_);
    return symbol < 0 ? nullptr : analysis_.shapeAt(symbol, place_);
}

// A variable of the script that a query in a function can read, though other code cannot.
bool ScriptNames::isTableOfScript(std::string_view name) const {
    const ValueShape* shape = shapeOf(name);
    return shape && shape->isTable();
}

NameKind ScriptNames::kindOf(std::string_view name) const {
    const int symbol = analysis_.resolve(name, scope_);
    if (symbol < 0 && isTableOfScript(name)) return NameKind::Table;
    if (symbol < 0 && workspace_.findUsed(analysis_, name).symbol) return NameKind::Function;
    if (symbol < 0) return session_ ? session_->kindOf(name) : NameKind::Unknown;
    if (isFunction(analysis_.symbols()[static_cast<size_t>(symbol)].kind)) return NameKind::Function;
    return kindOfShape(analysis_.shapeAt(symbol, place_));
}

std::vector<NameInfo> ScriptNames::names() const {
    std::vector<NameInfo> infos;
    const auto& symbols = analysis_.symbols();
    for (size_t i = 0; i < symbols.size(); ++i) {
        // Those that are visible here; the word at the cursor defines nothing.
        if (symbols[i].name.empty()) continue;
        const int visible = analysis_.resolve(symbols[i].name, scope_);
        const bool isTable = visible < 0 && symbols[i].scope == 0 && isTableOfScript(symbols[i].name);
        if (visible != static_cast<int>(i) && !isTable) continue;
        if (symbols[i].definition.contains(place_)) continue;
        infos.push_back({symbols[i].name, isFunction(symbols[i].kind)
                                              ? NameKind::Function
                                              : kindOfShape(analysis_.shapeAt(static_cast<int>(i), place_))});
    }
    for (const std::string& module : analysis_.usedModules()) {
        for (const std::string& uri : workspace_.filesOfModule(module)) {
            for (const FileSymbol& symbol : workspace_.files().at(uri).symbols) {
                if (symbol.kind == SymbolKind::Function) infos.push_back({symbol.name, NameKind::Function});
            }
        }
    }
    // A named function does not see the variables of the session.
    if (!session_ || scope_ != 0) return infos;
    std::set<std::string, std::less<>> known;
    for (const NameInfo& info : infos) known.insert(info.name);
    for (NameInfo& info : session_->names()) {
        if (!known.contains(info.name)) infos.push_back(std::move(info));
    }
    return infos;
}

std::string ScriptNames::signatureOf(std::string_view function) const {
    const int symbol = analysis_.resolve(function, scope_);
    if (symbol >= 0) return analysis_.symbols()[static_cast<size_t>(symbol)].signature;
    const Workspace::Found found = workspace_.findUsed(analysis_, function);
    return found.symbol ? found.symbol->signature : std::string();
}

std::vector<std::string> ScriptNames::membersOf(std::string_view name) const {
    const ValueShape* shape = shapeOf(name);
    if (!shape) return session_ ? session_->membersOf(name) : std::vector<std::string>();
    if (shape->form == ValueShape::Form::Instance) return analysis_.membersOfClass(shape->className);
    if (shape->isTable() && shape->members.empty()) return workspace_.columnsOf(shape->database, shape->table);
    return shape->members;
}

std::string ScriptNames::databaseOf(std::string_view name) const {
    const ValueShape* shape = shapeOf(name);
    return shape && shape->form == ValueShape::Form::Database ? shape->database : std::string();
}

}  // namespace pelorus
