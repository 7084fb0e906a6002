#include <algorithm>
#include <filesystem>
#include <string>

#include "app/cli/command.h"
#include "app/cli/interruption.h"
#include "app/cli/progress_line.h"
#include "app/cli/terminal_text.h"
#include "app/exchange/export_chats.h"
#include "app/exchange/import_chats.h"
#include "app/history/opening.h"
#include "app/history/store/copies.h"
#include "app/history/store/sole_use.h"
#include "app/library/library.h"
#include "ingle/error_ids.h"

namespace ingle::cli::history_command {
namespace {

using exchange::Findings;

struct HistoryOptions {
    std::function<Status(const HistoryOptions&)> chosen;
    std::string path;
    bool dryRun = false;
    int64_t chat = 0;
    int64_t folder = 0;
};

std::string historyPath() {
    return library::defaultDataDir() + "/history.sqlite";
}

std::string counted(uint64_t count, const char* one, const char* many) {
    return count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", count, many);
}

void print(const Findings& findings, std::string_view program, std::string_view verb) {
    fmt::print("{} from {}: {}, {}\n", verb, program, counted(findings.conversations, "chat", "chats"),
               counted(findings.messages, "message", "messages"));
    for (const auto& [kind, count] : findings.leftOut)
        fmt::print(stderr, "left out: {}\n", exchange::lossText(kind, count));
}

Status importHistory(const HistoryOptions& options) {
    INGLE_TRY_ASSIGN(const auto recognised, exchange::recognise(options.path));
    const auto found = exchange::examine(recognised, {.isCancelled = isInterrupted});
    if (!found) return happenedTo(options.path, found.error());
    if (options.dryRun) {
        print(*found, recognised.importer->program, "found");
        return {};
    }
    INGLE_TRY(history::checkSoleUse(historyPath()));
    INGLE_TRY_ASSIGN(const auto store, history::openHistory(historyPath()));
    ProgressLine line;
    const auto total = static_cast<double>(std::max<uint64_t>(found->conversations, 1));
    const auto imported = exchange::importChats(
        recognised, *store, {.isCancelled = isInterrupted, .progress = [&](uint64_t count) {
                                 line.show(static_cast<double>(count) / total, "importing");
                             }});
    line.end();
    if (!imported) return happenedTo(options.path, imported.error());
    print(imported->findings, recognised.importer->program, "imported");
    return {};
}

Status exportHistory(const HistoryOptions& options) {
    const std::string extension = std::filesystem::path(options.path).extension().string();
    const exchange::Exporter* exporter =
        exchange::findExporter(extension.empty() ? extension : extension.substr(1));
    if (!exporter) {
        std::string known;
        for (const exchange::Exporter* each : exchange::allChatExporters())
            known += fmt::format("{}.{}", known.empty() ? "" : ", ", each->extension);
        return fail(ErrorCode::InvalidArgument, "{}: chats are written as {}.", options.path, known);
    }
    if (!std::filesystem::exists(historyPath()))
        return fail(ErrorCode::Io, "There is no history yet in {}.", historyPath());
    INGLE_TRY_ASSIGN(const auto store, history::openReader(historyPath()));
    INGLE_TRY_ASSIGN(
        const uint64_t count,
        exchange::exportChats(*store, {.conversation = options.chat, .folder = options.folder}, *exporter,
                              options.path, io::Existing::Replaced, {.isCancelled = isInterrupted}));
    fmt::print("{} in {}\n", counted(count, "chat", "chats"), forStandardOutput(options.path));
    return {};
}

Status backUp(const HistoryOptions&) {
    if (!std::filesystem::exists(historyPath()))
        return fail(ErrorCode::Io, "There is no history yet in {}.", historyPath());
    INGLE_TRY_ASSIGN(const auto backup, history::makeBackup(historyPath()));
    fmt::print("{}\n", forStandardOutput(backup.path));
    return {};
}

Status listBackups(const HistoryOptions&) {
    INGLE_TRY_ASSIGN(const auto backups, history::backupsBeside(historyPath()));
    for (const history::Backup& backup : backups) {
        const Status checked = history::checkBackup(backup.path);
        fmt::print("{}\t{} UTC\t{} bytes\t{}\n", forStandardOutput(backup.path),
                   exchange::timeText(backup.madeMs), backup.bytes,
                   checked ? "can be restored" : checked.error().message);
    }
    return {};
}

Status restore(const HistoryOptions& options) {
    INGLE_TRY(history::checkSoleUse(historyPath()));
    INGLE_TRY_ASSIGN(const std::string aside, history::restoreBackup(historyPath(), options.path));
    fmt::print("restored{}\n",
               aside.empty() ? "" : "; what was there is kept as " + forStandardOutput(aside));
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<HistoryOptions>();
    const auto add = [&](const char* name, const std::string& description,
                         Status (*run)(const HistoryOptions&)) {
        CLI::App* subcommand = app.add_subcommand(name, description);
        subcommand->callback([chosen = options.get(), run] { chosen->chosen = run; });
        return subcommand;
    };
    CLI::App* imports =
        add("import", fmt::format("import chats of {}, or an export of ours", exchange::importedPrograms()),
            importHistory);
    imports->add_option("PATH", options->path, "what the program exported, or where it keeps its chats")
        ->required();
    imports->add_flag("--dry-run", options->dryRun, "only tell what is in there");
    CLI::App* exports =
        add("export", "write chats as .json (all there is), .md or .html (as shown)", exportHistory);
    exports->add_option("FILE", options->path, "its extension says in which form")->required();
    exports->add_option("--chat", options->chat,
                        "only the chat with this id (as the history's table has it)");
    exports->add_option("--folder", options->folder, "only the folder with this id, and what is below it");
    add("backup", "copy the history beside it, and read the copy through", backUp);
    add("backups", "list the copies, and whether each can be restored", listBackups);
    add("restore", "put a copy in the place of the history, which is kept", restore)
        ->add_option("BACKUP", options->path, "one of those that `ingle history backups` lists")
        ->required();
    app.require_subcommand(1);
    return [options]() -> Status {
        endByInterruption();
        return options->chosen(*options);
    };
}

}  // namespace

extern const Command command{"history",
                             "import chats of other programs, export ours, make and restore backups", define};

}  // namespace ingle::cli::history_command
