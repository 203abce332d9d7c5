#include "runtime/parquet/file_pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/nearest_name.h"
#include "common/thread/cancellation.h"

namespace pelorus::parquet_file {

namespace {

// Folders below each other that ** walks at most: links may lead in circles.
constexpr int kMaxDepth = 32;

// Returns whether a character is of the set that begins at pattern[at], behind its bracket; `at` comes behind the
// closing one. A bracket that is never closed is a plain character.
bool isOfSet(char c, std::string_view pattern, size_t& at) {
    size_t i = at;
    const bool isNegated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
    if (isNegated) ++i;
    bool found = false;
    for (bool isFirst = true; i < pattern.size() && (isFirst || pattern[i] != ']'); isFirst = false) {
        const char low = pattern[i++];
        char high = low;
        if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
            high = pattern[i + 1];
            i += 2;
        }
        found = found || (low <= c && c <= high);
    }
    if (i >= pattern.size()) return c == '[';
    at = i + 1;
    return found != isNegated;
}

std::vector<std::string> partsOf(const std::string& path) {
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= path.size();) {
        const size_t end = std::min(path.find('/', begin), path.size());
        if (end > begin) parts.push_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

bool isHidden(const std::string& name) {
    return name.starts_with('.') || name.starts_with('_');
}

// The walk over the folders of one pattern.
class Walk {
public:
    Walk(UserFiles& files, std::vector<std::string> parts) : files_(files), parts_(std::move(parts)) {}

    std::vector<std::string> from(const std::string& root) {
        visit(root, 0, 0);
        std::sort(found_.begin(), found_.end());
        found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
        return std::move(found_);
    }

private:
    void visit(const std::string& folder, size_t part, int depth) {
        checkCancelled();
        if (depth > kMaxDepth) return;
        const std::string& wanted = parts_[part];
        const bool isLast = part + 1 == parts_.size();
        if (wanted == "**") {
            if (!isLast) visit(folder, part + 1, depth);
            for (const std::string& name : namesIn(folder)) {
                const std::string path = joinPath(folder, name);
                if (isHidden(name)) continue;
                if (files_.isFolder(path)) {
                    visit(path, part, depth + 1);
                } else if (isLast) {
                    add(path);
                }
            }
            return;
        }
        if (!isPattern(wanted)) {
            take(joinPath(folder, wanted), part, depth);
            return;
        }
        for (const std::string& name : namesIn(folder)) {
            if (isHidden(name) && !isHidden(wanted)) continue;
            if (fitsPattern(name, wanted)) take(joinPath(folder, name), part, depth);
        }
    }

    void take(const std::string& path, size_t part, int depth) {
        if (part + 1 < parts_.size()) {
            visit(path, part + 1, depth + 1);
        } else if (files_.exists(path) && !files_.isFolder(path)) {
            add(path);
        }
    }

    void add(const std::string& path) {
        if (found_.size() == kMaxFiles)
            throw UserError(fmt::format("The pattern names more than {} files.", kMaxFiles),
                            "Read the files of one folder at a time.");
        found_.push_back(path);
    }

    std::vector<std::string> namesIn(const std::string& folder) {
        return files_.isFolder(folder) ? files_.list(folder) : std::vector<std::string>();
    }

    UserFiles& files_;
    const std::vector<std::string> parts_;
    std::vector<std::string> found_;
};

// Names of folders have %20 for a blank, and the like.
std::string withoutEscapes(std::string_view text) {
    std::string plain;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto digit = [&](size_t at) {
            const char c = at < text.size() ? text[at] : ' ';
            return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
        };
        if (text[i] == '%' && digit(i + 1) >= 0 && digit(i + 2) >= 0) {
            plain += static_cast<char>(digit(i + 1) * 16 + digit(i + 2));
            i += 2;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

MatchedFile withKeys(std::string path) {
    MatchedFile file;
    std::vector<std::string> folders = partsOf(path);
    folders.pop_back();
    for (const std::string& folder : folders) {
        const size_t equals = folder.find('=');
        if (equals == std::string::npos || equals == 0) continue;
        std::string value = withoutEscapes(std::string_view(folder).substr(equals + 1));
        if (value == "__HIVE_DEFAULT_PARTITION__") value.clear();
        file.keys.emplace_back(withoutEscapes(folder.substr(0, equals)), std::move(value));
    }
    file.path = std::move(path);
    return file;
}

[[noreturn]] void refuseAbsent(UserFiles& files, const std::string& path) {
    const std::string absolute = absolutePath(path), folder = folderOf(absolute);
    const std::string wanted = absolute.substr(absolute.rfind('/') + 1);
    std::string hint = "There is no such folder.";
    if (files.isFolder(folder)) {
        const std::vector<std::string> names = files.list(folder);
        hint = didYouMean(nearestNames(wanted, {names.begin(), names.end()}));
    }
    throw SystemError("Cannot open " + absolute + ": No such file or directory.", std::move(hint));
}

}  // namespace

bool isPattern(std::string_view path) {
    return path.find_first_of("*?[") != std::string_view::npos;
}

bool fitsPattern(std::string_view name, std::string_view pattern) {
    // The place to go on from when what follows the last * does not fit: with one character more for it.
    size_t n = 0, p = 0, starName = std::string_view::npos, starPattern = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            starPattern = ++p;
            starName = n;
            continue;
        }
        if (p < pattern.size()) {
            size_t next = p + 1;
            const bool fits =
                pattern[p] == '?' || (pattern[p] == '[' ? isOfSet(name[n], pattern, next) : pattern[p] == name[n]);
            if (fits) {
                p = next;
                ++n;
                continue;
            }
        }
        if (starName == std::string_view::npos) return false;
        p = starPattern;
        n = ++starName;
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::vector<MatchedFile> matchFiles(UserFiles& files, const std::string& pattern) {
    std::vector<MatchedFile> matched;
    // The folders before the first wildcard are resolved as one path, as every path of a user is.
    const size_t wildcard = pattern.find_first_of("*?[");
    if (wildcard == std::string::npos || files.exists(files.resolve(pattern))) {
        const std::string path = files.resolve(pattern);
        if (!files.exists(path)) refuseAbsent(files, path);
        matched.push_back(withKeys(path));
        return matched;
    }
    const size_t slash = pattern.rfind('/', wildcard);
    const std::string root = slash == std::string::npos ? "." : slash == 0 ? "/" : pattern.substr(0, slash);
    std::vector<std::string> parts = partsOf(slash == std::string::npos ? pattern : pattern.substr(slash + 1));
    if (parts.empty()) throw UserError("The pattern " + pattern + " names no files.");
    for (std::string& path : Walk(files, std::move(parts)).from(files.resolve(root)))
        matched.push_back(withKeys(std::move(path)));
    if (matched.empty())
        throw SystemError("No file fits " + pattern + ".", "* stands for any characters of one name, ** for folders.");
    return matched;
}

}  // namespace pelorus::parquet_file
