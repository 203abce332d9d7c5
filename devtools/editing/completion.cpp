#include "devtools/editing/completion.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <span>

#include "devtools/editing/signature_at.h"
#include "interpreter/parser/keywords.h"
#include "interpreter/parser/lexer.h"
#include "runtime/registry/registry.h"

namespace pelorus {

namespace {

constexpr size_t kMaxCandidates = 2000;

bool isAmong(const Token& token, std::span<const std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return token.isKeyword(word); });
}

bool startsWithAnyCase(std::string_view text, std::string_view prefix) {
    if (text.size() < prefix.size()) return false;
    return std::equal(prefix.begin(), prefix.end(), text.begin(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

// Gathers what begins with the prefix. When nothing does, what does so in other letter case.
class Gatherer {
public:
    Gatherer(std::string_view prefix, const std::function<bool()>& isLate) : prefix_(prefix), isLate_(isLate) {}

    bool isLate() const { return isLate_(); }

    // Kinds come in the order of their first candidate.
    void add(std::string_view text, std::string_view shown = {}) {
        std::vector<Candidate>* list = text.starts_with(prefix_)          ? &exact_
                                       : startsWithAnyCase(text, prefix_) ? &otherCase_
                                                                          : nullptr;
        if (!list || list->size() >= kMaxCandidates || !known_.emplace(text).second) return;
        list->push_back({std::string(text), std::string(shown.empty() ? text : shown), kind_});
    }
    void add(const std::vector<std::string>& texts) {
        for (const std::string& text : texts) add(text);
    }
    template <class Words>
    void addWords(const Words& words) {
        for (const std::string_view word : words) add(word);
    }
    // Ends one kind of candidates: they are sorted among themselves.
    void endKind() {
        for (auto* list : {&exact_, &otherCase_}) {
            size_t& begin = list == &exact_ ? exactSorted_ : otherSorted_;
            std::sort(list->begin() + static_cast<ptrdiff_t>(begin), list->end(),
                      [](const Candidate& a, const Candidate& b) { return a.text < b.text; });
            begin = list->size();
        }
    }
    // Says what the next candidates are.
    void setKind(CandidateKind kind) { kind_ = kind; }
    bool hasFound() const { return !exact_.empty(); }
    std::vector<Candidate> take() {
        endKind();
        return std::move(exact_.empty() ? otherCase_ : exact_);
    }

private:
    std::string_view prefix_;
    const std::function<bool()>& isLate_;
    CandidateKind kind_ = CandidateKind::Name;
    std::vector<Candidate> exact_, otherCase_;
    size_t exactSorted_ = 0, otherSorted_ = 0;
    std::set<std::string, std::less<>> known_;
};

// The contents of the string that begins with a quote.
std::string_view contentOf(std::string_view quoted) {
    return quoted.substr(quoted[0] == '_' ? 2 : 1);
}

class Completer {
public:
    Completer(std::string_view text, size_t cursor, const SessionNames& names, const std::function<bool()>& isLate)
        : text_(text.substr(0, cursor)), names_(names), isLate_(isLate), left_(scanTokens(text_)) {
        left_.pop_back();  // End
        right_ = scanTokens(text.substr(cursor));
        right_.pop_back();
    }

    Completion run() {
        result_.begin = text_.size();
        if (isInLineComment()) return {};
        const Token* last = left_.empty() ? nullptr : &left_.back();
        const bool touches = last && last->end() == text_.data() + text_.size();
        if (last && last->kind == TokenKind::Unfinished) {
            if (last->source[0] != '/') completeString(contentOf(last->source));
        } else if (touches && last->kind == TokenKind::Backtick) {
            completeSymbol(*last);
        } else if (touches && last->kind == TokenKind::Identifier) {
            const std::string_view prefix = last->source;
            left_.pop_back();
            completeName(prefix);
        } else if (touches && last->is(".")) {
            completeName("");
        } else if (!touches || last->kind == TokenKind::Punctuation) {
            completeEmpty();
        }
        return std::move(result_);
    }

private:
    void finish(Gatherer& gatherer, size_t prefixBytes) {
        result_.begin = text_.size() - prefixBytes;
        result_.candidates = gatherer.take();
    }

    const Token* leftToken(size_t back) const {
        return back < left_.size() ? &left_[left_.size() - 1 - back] : nullptr;
    }

    // The last blanks before the cursor hold a comment that goes to the end of its line.
    bool isInLineComment() const {
        const char* from = left_.empty() ? text_.data() : left_.back().end();
        const std::string_view gap(from, static_cast<size_t>(text_.data() + text_.size() - from));
        const std::string_view line = gap.substr(gap.rfind('\n') + 1);
        return line.find("//") != std::string_view::npos;
    }

    // ---- strings

    void completeString(std::string_view content) {
        const size_t call = openCall(left_);
        // loadTable("dfs://db", "…
        if (call != kNoToken && left_[call].isWord("loadTable") && left_.size() >= 3 && leftToken(1)->is(",")) {
            const std::string database = databaseBefore(left_.size() - 3);
            if (!database.empty()) {
                Gatherer gatherer(content, isLate_);
                gatherer.setKind(CandidateKind::Table);
                gatherer.add(names_.tablesOf(database));
                finish(gatherer, content.size());
                return;
            }
        }
        if (content.starts_with("dfs://")) {
            Gatherer gatherer(content, isLate_);
            gatherer.setKind(CandidateKind::Database);
            gatherer.add(names_.databases());
            finish(gatherer, content.size());
            return;
        }
        if (!names_.readsFiles() || content.find('\n') != std::string_view::npos) return;
        result_ = completeFileAt(text_, text_.size() - content.size(), isLate_);
    }

    // The database that the token names: a string or a variable.
    std::string databaseBefore(size_t token) const {
        const Token& t = left_[token];
        if (t.kind == TokenKind::String) return t.text;
        return t.kind == TokenKind::Identifier ? names_.databaseOf(t.source) : "";
    }

    // ---- symbols

    void completeSymbol(const Token& symbol) {
        Gatherer gatherer(symbol.text, isLate_);
        gatherer.setKind(CandidateKind::Member);
        for (const auto* tokens : {&left_, &right_}) {
            for (const Token& token : *tokens) {
                if (isLate_()) break;
                if (token.kind == TokenKind::Identifier && names_.kindOf(token.source) == NameKind::Table) {
                    gatherer.add(names_.membersOf(token.source));
                }
            }
        }
        finish(gatherer, symbol.text.size());
    }

    // ---- names

    void completeName(std::string_view prefix) {
        Gatherer gatherer(prefix, isLate_);
        const Token* dot = leftToken(0);
        const bool isMember = dot && dot->is(".") && dot->end() == text_.data() + text_.size() - prefix.size();
        if (isMember) {
            addMembers(gatherer, prefix.empty());
        } else if (wantsTable()) {
            addTables(gatherer);
            if (!prefix.empty()) addFunctions(gatherer);
        } else {
            addArguments(gatherer);
            addColumns(gatherer);
            addNames(gatherer);
        }
        finish(gatherer, prefix.size());
    }

    // Proposes what the place requires when no character is typed yet.
    void completeEmpty() {
        Gatherer gatherer("", isLate_);
        if (wantsTable()) {
            addTables(gatherer);
        } else {
            const Token* last = leftToken(0);
            if (last && (last->is("(") || last->is(","))) result_.hint = signatureHint();
            if (result_.hint.empty()) addColumns(gatherer);
        }
        finish(gatherer, 0);
    }

    void addMembers(Gatherer& gatherer, bool isEmpty) {
        const Token* owner = leftToken(1);
        const bool isName = owner && owner->kind == TokenKind::Identifier;
        const NameKind kind = isName ? names_.kindOf(owner->source) : NameKind::Unknown;
        gatherer.setKind(CandidateKind::Member);
        if (kind != NameKind::Unknown) gatherer.add(names_.membersOf(owner->source));
        if (owner && owner->is(")")) gatherer.add(columnsOfLoadTable(left_.size() - 2));
        gatherer.endKind();
        if (kind == NameKind::Instance) return;
        gatherer.setKind(CandidateKind::Function);
        // Functions that change the object first; of tables and dictionaries the others only where nothing else begins
        // with the prefix, for most functions take both.
        const bool hasMembers = kind == NameKind::Table || kind == NameKind::Dictionary;
        addMethods(gatherer, owner, kind, [](const BuiltinFunction& function) { return function.changes(0); });
        gatherer.endKind();
        if (hasMembers && (isEmpty || gatherer.hasFound())) return;
        addMethods(gatherer, owner, kind, [](const BuiltinFunction&) { return true; });
    }

    template <class Predicate>
    void addMethods(Gatherer& gatherer, const Token* owner, NameKind kind, const Predicate& isWanted) {
        for (const std::string_view name : FunctionRegistry::instance().names()) {
            if (isLate_()) return;
            const BuiltinFunction& function = *FunctionRegistry::instance().find(name);
            const auto& parameters = function.signature().parameters;
            if (parameters.empty() || !isWanted(function)) continue;
            const bool isOfDatabases = isDatabaseParameter(parameters[0].name);
            if (isOfDatabases != (kind == NameKind::Database)) continue;
            if (kind == NameKind::Unknown || names_.isTaken(owner->source, function.declaration().takes[0])) {
                gatherer.add(name, function.syntax());
            }
        }
    }

    static bool isDatabaseParameter(std::string_view name) {
        return name == "db" || name == "dbHandle" || name == "database";
    }

    // The columns when the bracket at `close` ends loadTable("dfs://db", "t").
    std::vector<std::string> columnsOfLoadTable(size_t close) const {
        if (close < 5 || left_[close - 4].kind != TokenKind::Punctuation) return {};
        const Token& table = left_[close - 1];
        const bool isLoad =
            left_[close - 5].isWord("loadTable") && left_[close - 4].is("(") && left_[close - 2].is(",");
        if (!isLoad || (table.kind != TokenKind::String && table.kind != TokenKind::Backtick)) return {};
        const std::string database = databaseBefore(close - 3);
        return database.empty() ? std::vector<std::string>() : names_.columnsOf(database, table.text);
    }

    void addTables(Gatherer& gatherer) {
        gatherer.setKind(CandidateKind::Table);
        for (const NameInfo& info : names_.names()) {
            if (info.kind == NameKind::Table && info.name != kLastValueName) gatherer.add(info.name);
        }
        gatherer.endKind();
        gatherer.setKind(CandidateKind::Function);
        gatherer.add("loadTable", signatureOfFunction("loadTable", names_));
        gatherer.endKind();
    }

    void addFunctions(Gatherer& gatherer) {
        gatherer.setKind(CandidateKind::Function);
        for (const NameInfo& info : names_.names()) {
            if (info.kind == NameKind::Function) gatherer.add(info.name, names_.signatureOf(info.name));
        }
        gatherer.endKind();
        for (const std::string_view name : FunctionRegistry::instance().names())
            gatherer.add(name, signatureOfFunction(name, names_));
        gatherer.endKind();
    }

    void addNames(Gatherer& gatherer) {
        for (const NameInfo& info : names_.names()) {
            if (info.kind == NameKind::Function || info.name == kLastValueName) continue;
            gatherer.setKind(info.kind == NameKind::Table ? CandidateKind::Table : CandidateKind::Name);
            gatherer.add(info.name);
        }
        gatherer.endKind();
        addFunctions(gatherer);
        gatherer.setKind(CandidateKind::Keyword);
        gatherer.addWords(kStatementWords);
        gatherer.addWords(kClauseWords);
        gatherer.addWords(kConditionWords);
        gatherer.addWords(kDefinitionWords);
        gatherer.addWords(kQueryWords);
        gatherer.addWords(kValueWords);
        gatherer.endKind();
    }

    // ---- arguments

    // name= of the parameters that are still open, where an argument begins.
    void addArguments(Gatherer& gatherer) {
        gatherer.setKind(CandidateKind::Parameter);
        const Token* last = leftToken(0);
        if (!last || (!last->is("(") && !last->is(","))) return;
        size_t argument = 0;
        const size_t call = openCall(left_, &argument);
        if (call == kNoToken) return;
        const std::vector<std::string> parameters =
            parametersOfSignature(signatureOfFunction(left_[call].source, names_));
        for (size_t i = argument; i < parameters.size(); ++i) {
            if (!parameters[i].ends_with("...")) gatherer.add(parameters[i] + "=");
        }
        gatherer.endKind();
    }

    // The signature, a line that marks the parameter, and what the documentation says about it.
    std::string signatureHint() const {
        const SignatureAtCursor call = signatureAt(left_, names_);
        std::string hint = call.signature;
        if (call.active >= call.parameters.size()) return hint;
        const std::string& parameter = call.parameters[call.active];
        const size_t place = placeInSignature(hint, parameter);
        if (place != std::string::npos) hint += "\n" + std::string(place, ' ') + std::string(parameter.size(), '^');
        return call.line.empty() ? hint : hint + "\n" + call.line;
    }

    // ---- queries

    // The token that begins the query around the cursor, or kNoToken; brackets that are open at the cursor may be
    // inside.
    size_t queryStart() const {
        int depth = 0;
        for (size_t i = left_.size(); i-- > 0;) {
            const Token& token = left_[i];
            if (token.is(")") || token.is("]") || token.is("}")) ++depth;
            if (token.is("(") || token.is("[") || token.is("{")) depth = std::max(depth - 1, 0);
            if (depth > 0) continue;
            if (token.is(";")) return kNoToken;
            if (token.isKeyword("select") || token.isKeyword("exec") || token.isKeyword("update") ||
                token.isKeyword("delete")) {
                return i;
            }
        }
        return kNoToken;
    }

    // Returns whether a table is expected: after from, join, into and update.
    bool wantsTable() const {
        const Token* last = leftToken(0);
        if (!last) return false;
        if (last->isKeyword("join") || last->isKeyword("update")) return true;
        if (last->isKeyword("into")) return leftToken(1) && leftToken(1)->isKeyword("insert");
        return last->isKeyword("from");
    }

    void addColumns(Gatherer& gatherer) {
        gatherer.setKind(CandidateKind::Member);
        const size_t start = queryStart();
        if (start == kNoToken) return;
        std::vector<Token> tokens(left_.begin() + static_cast<ptrdiff_t>(start), left_.end());
        const size_t behindCursor = tokens.size();
        tokens.insert(tokens.end(), right_.begin(), right_.end());
        // The tables between from (or update, join) and the next word of the query.
        bool inTables = tokens[0].isKeyword("update"), isNamed = inTables;
        for (size_t i = 1; i < tokens.size() && !isLate_(); ++i) {
            const Token& token = tokens[i];
            if (i >= behindCursor && token.is(";")) break;
            if (token.kind != TokenKind::Identifier) continue;
            if (token.isKeyword("from") || token.isKeyword("join")) {
                inTables = isNamed = true;
            } else if (isAmong(token, kClauseWords) && !token.isKeyword("as") && !isJoinWord(token)) {
                inTables = false;
            } else if (inTables && names_.kindOf(token.source) == NameKind::Table) {
                gatherer.add(names_.membersOf(token.source));
            } else if (inTables && token.isWord("loadTable") && i + 4 < tokens.size()) {
                addColumnsOfLoaded(gatherer, tokens, i);
            }
        }
        // The table is not known yet: it may be any.
        if (!isNamed) {
            for (const NameInfo& info : names_.names()) {
                if (isLate_()) break;
                if (info.kind == NameKind::Table) gatherer.add(names_.membersOf(info.name));
            }
        }
        gatherer.endKind();
    }

    static bool isJoinWord(const Token& token) {
        return token.isKeyword("left") || token.isKeyword("right") || token.isKeyword("full") ||
               token.isKeyword("inner") || token.isKeyword("cross");
    }

    void addColumnsOfLoaded(Gatherer& gatherer, const std::vector<Token>& tokens, size_t load) {
        const Token& database = tokens[load + 2];
        const Token& table = tokens[load + 4];
        if (!tokens[load + 1].is("(") || !tokens[load + 3].is(",")) return;
        const std::string path =
            database.kind == TokenKind::String ? database.text : names_.databaseOf(database.source);
        if (!path.empty()) gatherer.add(names_.columnsOf(path, table.text));
    }

    std::string_view text_;  // up to the cursor
    const SessionNames& names_;
    const std::function<bool()>& isLate_;
    std::vector<Token> left_, right_;
    Completion result_;
};

}  // namespace

std::string Completion::commonPrefix() const {
    if (candidates.empty()) return {};
    std::string_view common = candidates[0].text;
    for (const Candidate& candidate : candidates) {
        const std::string_view text = candidate.text;
        const auto end = std::mismatch(common.begin(), common.end(), text.begin(), text.end()).first;
        common = common.substr(0, static_cast<size_t>(end - common.begin()));
    }
    while (!common.empty() && common.size() < candidates[0].text.size() &&
           (static_cast<unsigned char>(candidates[0].text[common.size()]) & 0xC0) == 0x80) {
        common.remove_suffix(1);
    }
    return std::string(common);
}

Completion completeFileAt(std::string_view text, size_t begin, const std::function<bool()>& isLate) {
    const std::string_view path = text.substr(begin);
    const size_t slash = path.rfind('/');
    const std::string_view typedFolder = path.substr(0, slash == std::string_view::npos ? 0 : slash + 1);
    const std::string_view prefix = path.substr(typedFolder.size());
    std::string folder(typedFolder.empty() ? "." : typedFolder);
    const char* home = std::getenv("HOME");
    if (folder.starts_with("~/") && home) folder.replace(0, 1, home);
    Gatherer gatherer(prefix, isLate);
    gatherer.setKind(CandidateKind::File);
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        if (isLate()) break;
        const std::string name = it->path().filename().string();
        if (name[0] == '.' && !prefix.starts_with('.')) continue;
        if (name.find_first_of("\"'\\\n") != std::string::npos) continue;
        std::error_code unknown;
        gatherer.add(it->is_directory(unknown) ? name + "/" : name);
    }
    Completion completion;
    completion.begin = text.size() - prefix.size();
    completion.candidates = gatherer.take();
    return completion;
}

Completion completeAt(std::string_view text, size_t cursor, const SessionNames& names,
                      const std::function<bool()>& isLate) {
    try {
        return Completer(text, std::min(cursor, text.size()), names, isLate).run();
    } catch (const std::exception&) {
        return {};  // a session that cannot answer, as a node that is away, completes nothing
    }
}

}  // namespace pelorus
