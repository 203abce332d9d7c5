#include "common/hide_secrets.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <vector>

namespace pelorus {
namespace {

constexpr std::string_view kHidden = "\"***\"";

// Functions whose arguments from `first` to `last` are secret. Named arguments are known by their names.
struct SecretArguments {
    std::string_view function;
    size_t first;
    size_t last;
};
constexpr SecretArguments kSecretArguments[] = {
    {"login", 1, 1},     {"createUser", 1, 1},           {"changePwd", 0, 1},        {"resetPwd", 1, 1}, {"xdb", 3, 3},
    {"setTDEKey", 0, 9}, {"authenticateByTicket", 0, 0}, {"scramClientFinal", 2, 2},
};
// Strings in strings are searched as well: a call of another node holds a script.
constexpr int kNested = 3;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
bool isWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

// Returns whether the value of a variable, parameter or key of this name is secret.
bool isSecretName(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const std::string_view part : {"password", "passwd", "pwd", "secret", "ticket", "passphrase"}) {
        if (lower.find(part) != std::string::npos) return true;
    }
    return lower == "token" || lower == "apikey" || lower == "accesskey";
}

struct Piece {
    enum class Kind : uint8_t { Name, String, Number, Sign, Newline };
    Kind kind;
    size_t begin = 0;
    size_t end = 0;
};

// Names, strings and signs of a source, without blanks and comments.
class Pieces {
public:
    explicit Pieces(std::string_view source) : source_(source) {
        while (at_ < source_.size()) take();
    }
    std::vector<Piece> pieces;

private:
    char peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

    void take() {
        const size_t begin = at_;
        const char c = peek();
        if (c == '/' && peek(1) == '/') {
            at_ = std::min(source_.find('\n', at_), source_.size());
        } else if (c == '/' && peek(1) == '*') {
            const size_t end = source_.find("*/", at_ + 2);
            at_ = end == std::string_view::npos ? source_.size() : end + 2;
        } else if (c == '"' || c == '\'') {
            quoted(c);
            pieces.push_back({Piece::Kind::String, begin, at_});
        } else if (c == '`') {
            ++at_;
            while (isWord(peek()) || peek() == '.') ++at_;
            pieces.push_back({Piece::Kind::String, begin, at_});
        } else if (isWord(c)) {
            while (isWord(peek()) || (peek() == ':' && peek(1) == ':' && isWord(peek(2)) && ++at_)) ++at_;
            pieces.push_back({isDigit(c) ? Piece::Kind::Number : Piece::Kind::Name, begin, at_});
        } else {
            ++at_;
            if (c == '\n') {
                pieces.push_back({Piece::Kind::Newline, begin, at_});
            } else if (c != ' ' && c != '\t' && c != '\r') {
                pieces.push_back({Piece::Kind::Sign, begin, at_});
            }
        }
    }

    // A backslash keeps the next quote from ending the string. A string without end goes on to the end of the source.
    void quoted(char quote) {
        ++at_;
        while (at_ < source_.size() && peek() != quote) at_ += peek() == '\\' && at_ + 1 < source_.size() ? 2 : 1;
        if (at_ < source_.size()) ++at_;
    }

    const std::string_view source_;
    size_t at_ = 0;
};

class Scan {
public:
    explicit Scan(std::string_view source, int depth = 0)
        : source_(source), depth_(depth), pieces_(Pieces(source).pieces), hidden_(pieces_.size()) {
        open_.emplace_back();
        for (size_t i = 0; i < pieces_.size(); ++i) see(i);
    }

    std::string result() const {
        std::string string;
        size_t from = 0;
        for (size_t i = 0; i < pieces_.size(); ++i) {
            const std::string shown = shownPiece(i);
            if (shown.empty()) continue;
            string += source_.substr(from, pieces_[i].begin - from);
            string += shown;
            from = pieces_[i].end;
        }
        return string.append(source_.substr(from));
    }

private:
    // An open bracket, and the state of the scan inside it.
    struct Bracket {
        std::string_view function;  // function that the bracket calls
        bool isMethod = false;      // the first argument precedes the dot
        size_t argument = 0;        // number of the argument that is scanned
        bool isNamed = false;       // name = … of an argument or a statement
        bool isSecret = false;      // … and the name is that of a secret; or the bracket is in a secret argument
        bool isInSecret = false;    // all inside is secret
        size_t begin = 0;           // the first piece of the argument or statement
    };

    std::string_view string(size_t i) const {
        return source_.substr(pieces_[i].begin, pieces_[i].end - pieces_[i].begin);
    }
    // Returns the replacement of a string that is a secret or contains some; empty when the string is shown.
    std::string shownPiece(size_t i) const {
        if (hidden_[i]) return std::string(kHidden);
        if (pieces_[i].kind != Piece::Kind::String || depth_ == kNested) return "";
        const char quote = source_[pieces_[i].begin];
        const std::string_view inside = string(i).substr(1);
        std::string script;
        for (size_t at = 0; at < inside.size(); ++at) {
            const bool isEscape = inside[at] == '\\' && at + 1 < inside.size() &&
                                  std::string_view("\\\"'").find(inside[at + 1]) != std::string_view::npos;
            if (isEscape) ++at;
            if (isEscape || inside[at] != quote) script += inside[at];
        }
        const std::string shown = Scan(script, depth_ + 1).result();
        return shown == script ? "" : quote + shown + quote;
    }
    bool isSign(size_t i, char c) const {
        return i < pieces_.size() && pieces_[i].kind == Piece::Kind::Sign && source_[pieces_[i].begin] == c;
    }
    // The piece before `i` that is no line break, or none.
    std::optional<size_t> before(size_t i) const {
        while (i > 0) {
            if (pieces_[--i].kind != Piece::Kind::Newline) return i;
        }
        return std::nullopt;
    }

    static const SecretArguments* secretArguments(std::string_view function) {
        const size_t colons = function.rfind("::");
        if (colons != std::string_view::npos) function.remove_prefix(colons + 2);
        const auto* const found =
            std::find_if(std::begin(kSecretArguments), std::end(kSecretArguments),
                         [&](const SecretArguments& known) { return known.function == function; });
        return found == std::end(kSecretArguments) ? nullptr : found;
    }
    static bool takesSecret(std::string_view function, size_t argument) {
        const SecretArguments* known = secretArguments(function);
        return known && argument >= known->first && argument <= known->last;
    }

    static bool isSecretPlace(const Bracket& in) {
        if (in.isInSecret || in.isSecret) return true;
        if (in.isNamed || in.function.empty()) return false;
        return takesSecret(in.function, in.argument) || (in.isMethod && takesSecret(in.function, in.argument + 1));
    }

    void see(size_t i) {
        const Piece& piece = pieces_[i];
        Bracket& here = open_.back();
        if (piece.kind == Piece::Kind::String) {
            hidden_[i] = hidden_[i] || isSecretPlace(here);
            const bool callsByString = here.function.starts_with("remoteRun") || here.function.starts_with("rpc");
            if (callsByString && string(i).size() > 2 && secretArguments(string(i).substr(1, string(i).size() - 2)))
                here.isInSecret = true;
            return;
        }
        if (piece.kind == Piece::Kind::Name) {
            // call(login, "admin", "secret"), connection(login, …), each(login, …)
            if (open_.size() > 1 && !isSign(i + 1, '(') && !isSign(i + 1, '{') && secretArguments(string(i)))
                here.isInSecret = true;
            return;
        }
        if (piece.kind == Piece::Kind::Newline) {
            if (open_.size() == 1 || source_[pieces_[open_.back().begin].begin] == '{') endPlace(here);
            return;
        }
        if (piece.kind != Piece::Kind::Sign) return;
        const char sign = source_[piece.begin];
        if (sign == '(' || sign == '[' || sign == '{') {
            openBracket(i, sign);
        } else if (sign == ')' || sign == ']' || sign == '}') {
            if (open_.size() > 1) open_.pop_back();
        } else if (sign == ',') {
            ++here.argument;
            endPlace(here);
        } else if (sign == ';') {
            endPlace(here);
        } else if (sign == '=' || sign == ':') {
            nameBefore(i, sign);
        }
    }

    static void endPlace(Bracket& in) { in.isNamed = in.isSecret = false; }

    void openBracket(size_t i, char sign) {
        Bracket next;
        next.isInSecret = isSecretPlace(open_.back()) && sign != '{';
        next.begin = i;
        const std::optional<size_t> name = before(i);
        const bool calls = (sign == '(' || sign == '{') && name && pieces_[*name].kind == Piece::Kind::Name;
        if (calls) {
            next.function = string(*name);
            const std::optional<size_t> dot = before(*name);
            next.isMethod = dot && isSign(*dot, '.');
            if (next.isMethod && takesSecret(next.function, 0)) hideReceiver(*dot);
        }
        open_.push_back(next);
    }

    // Hides the receiver of a method, its first argument: "secret".changePwd(…).
    void hideReceiver(size_t dot) {
        int depth = 0;
        for (std::optional<size_t> i = before(dot); i; i = before(*i)) {
            if (isSign(*i, ')') || isSign(*i, ']')) ++depth;
            if (isSign(*i, '(') || isSign(*i, '[')) --depth;
            if (depth < 0) return;
            if (pieces_[*i].kind == Piece::Kind::String) hidden_[*i] = true;
            if (depth == 0) return;
        }
    }

    // Notes a name before = or :, as in name = …, or "name": … of a dictionary or JSON.
    void nameBefore(size_t i, char sign) {
        const std::optional<size_t> name = before(i);
        if (!name || isSign(i + 1, '=') || (sign == ':' && pieces_[*name].kind != Piece::Kind::String)) return;
        const Piece& piece = pieces_[*name];
        if (piece.kind != Piece::Kind::Name && piece.kind != Piece::Kind::String) return;
        Bracket& here = open_.back();
        here.isNamed = sign == '=' && piece.kind == Piece::Kind::Name;
        here.isSecret = isSecretName(string(*name));
    }

    const std::string_view source_;
    const int depth_;
    const std::vector<Piece> pieces_;
    std::vector<bool> hidden_;
    std::vector<Bracket> open_;
};

}  // namespace

std::string hideSecrets(std::string_view source) {
    // Only strings are hidden.
    if (source.find_first_of("\"'`") == std::string_view::npos) return std::string(source);
    return Scan(source).result();
}

std::string hideSecretsInBeginning(std::string_view source, size_t most) {
    // A secret of any length becomes five bytes, so what is shown may come from further behind.
    std::string string = hideSecrets(source.substr(0, std::max(most * 16, size_t{4096})));
    if (string.size() > most) string.resize(most);
    return string;
}

}  // namespace pelorus
