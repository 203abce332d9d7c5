#include "devtools/lsp/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "devtools/lsp/file_summary.h"

namespace pelorus {

namespace {

bool isScript(std::string_view path) {
    return path.ends_with(".dos");
}

int hexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool readFile(const std::string& path, std::string& text) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error || size > Workspace::kMaxFileBytes || !std::filesystem::is_regular_file(path, error)) return false;
    std::ifstream file(path, std::ios::binary);
    if (!file) return false;
    text.resize(size);
    file.read(text.data(), static_cast<std::streamsize>(size));
    text.resize(static_cast<size_t>(file.gcount()));
    return true;
}

}  // namespace

std::string pathOfUri(std::string_view uri) {
    constexpr std::string_view kScheme = "file://";
    if (!uri.starts_with(kScheme)) return {};
    uri.remove_prefix(kScheme.size());
    uri.remove_prefix(std::min(uri.find('/'), uri.size()));  // the host
    std::string path;
    for (size_t i = 0; i < uri.size(); ++i) {
        const bool isEscape =
            uri[i] == '%' && i + 2 < uri.size() && hexDigit(uri[i + 1]) >= 0 && hexDigit(uri[i + 2]) >= 0;
        if (isEscape) {
            path += static_cast<char>(hexDigit(uri[i + 1]) * 16 + hexDigit(uri[i + 2]));
            i += 2;
        } else {
            path += uri[i];
        }
    }
    return path.find('\0') == std::string::npos ? path : std::string();
}

std::string uriOfPath(std::string_view path) {
    std::string uri = "file://";
    for (const char c : path) {
        const bool isPlain =
            std::isalnum(static_cast<unsigned char>(c)) || std::string_view("/-_.~").find(c) != std::string_view::npos;
        uri += isPlain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri;
}

void Workspace::Document::touch(const TextChange& change) {
    if (analysis) {
        previous = std::move(analysis);
        sincePrevious = change;
    } else if (previous) {
        sincePrevious = sincePrevious.then(change);
    }
    analysis = nullptr;
    isPublished = false;
}

void Workspace::Document::touch() {
    analysis = nullptr;
    previous = nullptr;
    isPublished = false;
}

void Workspace::addFolder(const std::string& uri) {
    const std::string folder = readsFiles_ ? pathOfUri(uri) : "";
    if (folder.empty()) return;
    std::error_code error;
    std::filesystem::recursive_directory_iterator it(folder, std::filesystem::directory_options::skip_permission_denied,
                                                     error);
    for (const std::filesystem::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename().string();
        std::error_code unknown;
        const bool isHidden = name.starts_with('.') || name == "node_modules";
        if (isHidden && it->is_directory(unknown)) it.disable_recursion_pending();
        if (isHidden || !isScript(name) || !it->is_regular_file(unknown)) continue;
        if (unread_.size() + files_.size() >= kMaxFiles) break;
        unread_.push_back(uriOfPath(it->path().string()));
    }
}

void Workspace::removeFolder(const std::string& uri) {
    const std::string prefix = uri.ends_with('/') ? uri : uri + '/';
    std::erase_if(files_, [&](const auto& file) { return file.first.starts_with(prefix); });
    std::erase_if(unread_, [&](const std::string& file) { return file.starts_with(prefix); });
}

Workspace::Document& Workspace::open(const std::string& uri, std::string text, int64_t version) {
    Document& document = documents_[uri];
    document.uri = uri;
    document.version = version;
    document.text = TextDocument(std::move(text));
    document.touch();
    return document;
}

void Workspace::close(const std::string& uri) {
    documents_.erase(uri);
    fileChanged(uri);
}

Workspace::Document* Workspace::find(std::string_view uri) {
    const auto found = documents_.find(uri);
    return found == documents_.end() ? nullptr : &found->second;
}

void Workspace::fileChanged(const std::string& uri) {
    if (documents_.contains(uri)) return;
    files_.erase(uri);
    if (!readsFiles_) return;
    const std::string path = pathOfUri(uri);
    std::error_code error;
    const bool isThere = isScript(path) && std::filesystem::is_regular_file(path, error);
    if (isThere && unread_.size() + files_.size() < kMaxFiles) unread_.push_back(uri);
}

std::shared_ptr<const ScriptAnalysis> Workspace::analyze(std::string text) {
    const auto columns = [this](const std::string& database, const std::string& table) {
        return columnsOf(database, table);
    };
    return ScriptAnalysis::make(std::move(text), {}, columns);
}

const std::shared_ptr<const ScriptAnalysis>& Workspace::analysisOf(Document& document) {
    if (!document.analysis) {
        document.analysis = analyze(document.text.text());
        summarize(document.uri, *document.analysis);
    }
    return document.analysis;
}

std::shared_ptr<const ScriptAnalysis> Workspace::analysisOfFile(const std::string& uri) {
    if (Document* document = find(uri)) return analysisOf(*document);
    std::string text;
    const std::string path = readsFiles_ ? pathOfUri(uri) : "";
    if (path.empty() || !readFile(path, text)) return nullptr;
    return analyze(std::move(text));
}

void Workspace::summarize(const std::string& uri, const ScriptAnalysis& analysis) {
    files_[uri] = summaryOf(analysis, encoding_);
}

bool Workspace::indexSome(int millis) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(millis);
    while (!unread_.empty() && std::chrono::steady_clock::now() < end) {
        const std::string uri = std::move(unread_.back());
        unread_.pop_back();
        if (documents_.contains(uri)) continue;
        std::string text;
        if (!readFile(pathOfUri(uri), text)) continue;
        summarize(uri, *analyze(std::move(text)));
    }
    return !unread_.empty();
}

std::vector<std::string> Workspace::filesOfModule(std::string_view module) const {
    std::vector<std::string> found;
    for (const auto& [uri, file] : files_) {
        if (!file.moduleName.empty() && file.moduleName == module) found.push_back(uri);
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::string> Workspace::moduleNames() const {
    std::set<std::string> names;
    for (const auto& [uri, file] : files_) {
        if (!file.moduleName.empty()) names.insert(file.moduleName);
    }
    return {names.begin(), names.end()};
}

Workspace::Found Workspace::findUsed(const ScriptAnalysis& analysis, std::string_view name) const {
    std::string_view module, function = name;
    if (const size_t colons = name.rfind("::"); colons != std::string_view::npos) {
        module = name.substr(0, colons);
        function = name.substr(colons + 2);
    }
    for (const std::string& used : analysis.usedModules()) {
        if (!module.empty() && module != used) continue;
        for (const std::string& uri : filesOfModule(used)) {
            const auto file = files_.find(uri);
            for (const FileSymbol& symbol : file->second.symbols) {
                if (symbol.name == function && symbol.kind == SymbolKind::Function) return {&file->first, &symbol};
            }
        }
    }
    return {};
}

bool Workspace::isShared(std::string_view name) const {
    return std::any_of(files_.begin(), files_.end(), [&](const auto& file) {
        return std::any_of(file.second.symbols.begin(), file.second.symbols.end(), [&](const FileSymbol& symbol) {
            return symbol.kind == SymbolKind::Shared && symbol.name == name;
        });
    });
}

std::vector<std::string> Workspace::databases() const {
    std::set<std::string> all;
    for (const auto& [uri, file] : files_) all.insert(file.databases.begin(), file.databases.end());
    return {all.begin(), all.end()};
}

std::vector<std::string> Workspace::tablesOf(const std::string& database) const {
    std::set<std::string> all;
    for (const auto& [uri, file] : files_) {
        for (const auto& stored : file.tables) {
            if (stored.database == database) all.insert(stored.table);
        }
    }
    return {all.begin(), all.end()};
}

std::vector<std::string> Workspace::columnsOf(const std::string& database, const std::string& table) const {
    if (database.empty() || table.empty()) return {};
    for (const auto& [uri, file] : files_) {
        for (const auto& stored : file.tables) {
            if (stored.database == database && stored.table == table && !stored.columns.empty()) return stored.columns;
        }
    }
    return {};
}

}  // namespace pelorus
