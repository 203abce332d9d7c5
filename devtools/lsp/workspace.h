// Workspace holds the documents that an editor has open, and summaries of the scripts in its folders.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "devtools/editing/session_names.h"
#include "devtools/lsp/text_document.h"
#include "interpreter/analysis/script_analysis.h"

namespace pelorus {

// A name that a file defines at its top level.
struct FileSymbol {
    std::string name;
    SymbolKind kind = SymbolKind::Function;
    std::string signature;
    std::string comment;
    TextRange definition;
    EditorPosition begin, end;  // range of the definition, in the editor's units
};

// The names of one file that other documents may refer to.
struct FileSummary {
    std::string moduleName;
    std::vector<std::string> usedModules;
    std::vector<FileSymbol> symbols;
    std::vector<std::string> databases;  // "dfs://…" strings
    // Tables of databases with the columns that the file declares; columns may be empty.
    struct StoredTable {
        std::string database, table;
        std::vector<std::string> columns;
    };
    std::vector<StoredTable> tables;
};

// The documents and indexed files of one editor. One thread uses it. It keeps the source text of open documents and a
// summary of each file, at most kMaxFiles files of at most kMaxFileBytes.
class Workspace {
public:
    static constexpr size_t kMaxFiles = 20'000;
    static constexpr size_t kMaxFileBytes = 8 << 20;

    struct Document {
        std::string uri;
        int64_t version = 0;
        TextDocument text;
        std::shared_ptr<const ScriptAnalysis> analysis;  // null: the source has changed since
        bool isPublished = false;                        // the published diagnostics match the source

        // The last analysis and the edits since, for answers that cannot wait for the next analysis.
        std::shared_ptr<const ScriptAnalysis> previous;
        TextChange sincePrevious;

        // Mark a range, or the whole source text, as changed.
        void touch(const TextChange& change);
        void touch();
    };

    void setEncoding(PositionEncoding encoding) { encoding_ = encoding; }
    PositionEncoding encoding() const { return encoding_; }
    // Sets whether files are listed and read; false when the editor is on another machine. Called before any other
    // function.
    void setReadsFiles(bool readsFiles) { readsFiles_ = readsFiles; }
    bool readsFiles() const { return readsFiles_; }
    // Sets the function that returns the names of the session in which scripts run, or null when there is none.
    void setSessionNames(std::function<std::shared_ptr<const SessionNames>()> names) { names_ = std::move(names); }
    std::shared_ptr<const SessionNames> sessionNames() const { return names_ ? names_() : nullptr; }
    // Lists the scripts below a folder, to be read by `indexSome`.
    void addFolder(const std::string& uri);
    void removeFolder(const std::string& uri);

    // Adds an open document; the reference is valid until `close`.
    Document& open(const std::string& uri, std::string text, int64_t version);
    void close(const std::string& uri);
    // Returns null when the document is not open.
    Document* find(std::string_view uri);
    std::map<std::string, Document, std::less<>>& documents() { return documents_; }
    // Reads a file again unless it is open; removes its summary when the file is gone.
    void fileChanged(const std::string& uri);
    // Returns the analysis of a document, and computes it if the source text has changed.
    const std::shared_ptr<const ScriptAnalysis>& analysisOf(Document& document);
    // Analyses a file, open or not; returns null when it cannot be read.
    std::shared_ptr<const ScriptAnalysis> analysisOfFile(const std::string& uri);

    // Reads some of the files that are still to be read, for so many milliseconds; returns whether more remain.
    bool indexSome(int millis);
    void indexAll() {
        while (indexSome(1000)) {
        }
    }
    const std::unordered_map<std::string, FileSummary>& files() const { return files_; }
    // Returns the files that define a module; usually one.
    std::vector<std::string> filesOfModule(std::string_view module) const;
    std::vector<std::string> moduleNames() const;
    // A function of a used module, or a qualified one, with its file; both are null when there is none.
    struct Found {
        const std::string* uri = nullptr;
        const FileSymbol* symbol = nullptr;
    };
    Found findUsed(const ScriptAnalysis& analysis, std::string_view name) const;
    // Returns whether some file shares the name between sessions.
    bool isShared(std::string_view name) const;

    std::vector<std::string> databases() const;
    std::vector<std::string> tablesOf(const std::string& database) const;
    std::vector<std::string> columnsOf(const std::string& database, const std::string& table) const;

private:
    void summarize(const std::string& uri, const ScriptAnalysis& analysis);
    std::shared_ptr<const ScriptAnalysis> analyze(std::string text);

    bool readsFiles_ = true;
    std::function<std::shared_ptr<const SessionNames>()> names_;
    PositionEncoding encoding_ = PositionEncoding::Utf16;
    std::map<std::string, Document, std::less<>> documents_;
    std::vector<std::string> unread_;
    std::unordered_map<std::string, FileSummary> files_;
};

// Convert between file:// URIs and paths; other URIs have an empty path.
std::string pathOfUri(std::string_view uri);
std::string uriOfPath(std::string_view path);

}  // namespace pelorus
