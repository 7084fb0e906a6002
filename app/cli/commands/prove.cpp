#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/model_files.h"
#include "app/cli/model_options.h"
#include "app/cli/prove/conversation.h"
#include "app/cli/prove/verdict.h"
#include "app/library/guide.h"
#include "app/sandbox/cage.h"
#include "ingle/shown_text.h"

namespace ingle::cli::prove_command {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::string model;
    bool json = false;
};

/// All that the watched programs may write is in here, and goes with it.
class Folder {
  public:
    static Result<std::unique_ptr<Folder>> create() {
        std::error_code error;
        std::string name = (fs::temp_directory_path(error) / "ingle-prove-XXXXXX").string();
        if (error || !::mkdtemp(name.data())) return fail(ErrorCode::Io, "no folder can be made in {}", name);
        return std::unique_ptr<Folder>(new Folder(fs::canonical(name).string()));
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    const std::string path;

  private:
    explicit Folder(std::string name) : path(std::move(name)) {}
};

/// "ingle host", with how many of it there were and what the kernel enforces for it.
struct Kind {
    uint32_t number = 0;
    uint32_t callsFiltered = 0;
    uint32_t filesRestricted = 0;
};
std::map<std::string, Kind> kindsOf(const prove::Record& record) {
    std::map<std::string, Kind> kinds;
    for (const prove::Process& process : record.processes) {
        std::string name = fs::path(process.program).filename().string();
        if (name == "ingle") name += " " + fs::path(process.role).filename().string();
        Kind& kind = kinds[shown(name)];
        ++kind.number;
        kind.callsFiltered += process.callsAreFiltered ? 1 : 0;
        kind.filesRestricted += process.filesAreRestricted ? 1 : 0;
    }
    return kinds;
}

void printList(const char* what, const std::vector<std::string>& entries) {
    fmt::print("  {:<21} {}\n", what, entries.empty() ? "none" : entries[0]);
    for (size_t i = 1; i < entries.size(); ++i) fmt::print("  {:<21} {}\n", "", entries[i]);
}

void print(const prove::Record& record, const prove::Verdict& verdict, const std::string& lacking) {
    fmt::print("A conversation about a document was watched: {} system calls of {} processes.\n",
               record.calls, record.processes.size());
    printList("sockets", verdict.sockets);
    fmt::print("  {:<21} {} of the system, {} of Inglenook\n", "files read", verdict.systemFiles,
               verdict.ownFiles);
    printList("other files read", verdict.foreignRead);
    fmt::print("  {:<21} {} bytes in its own folder, {} elsewhere\n", "written", verdict.ownBytes,
               verdict.foreignBytes);
    printList("other files written", verdict.foreignWritten);
    printList("other programs", verdict.foreignPrograms);
    fmt::print("What the kernel enforces:\n");
    for (const auto& [name, kind] : kindsOf(record)) {
        fmt::print("  {:<21} {} {}, system calls filtered for {}, files restricted for {}\n", name,
                   kind.number, kind.number == 1 ? "process" : "processes", kind.callsFiltered,
                   kind.filesRestricted);
    }
    if (!lacking.empty()) fmt::print("{}\n", lacking);
    for (const std::string& problem : verdict.problems) fmt::print("BAD  {}\n", problem);
    if (verdict.problems.empty())
        fmt::print(
            "No program asked for the network, for files of others or for other programs, and nothing was "
            "written outside Inglenook's own folder.\n");
}

void printJson(const prove::Record& record, const prove::Verdict& verdict, const std::string& lacking) {
    nlohmann::ordered_json processes = nlohmann::ordered_json::array();
    for (const prove::Process& process : record.processes)
        processes.push_back({{"program", process.program},
                             {"role", process.role},
                             {"calls_filtered", process.callsAreFiltered},
                             {"files_restricted", process.filesAreRestricted}});
    const nlohmann::ordered_json json{{"kept", verdict.problems.empty()},
                                      {"problems", verdict.problems},
                                      {"lacking", lacking},
                                      {"calls", record.calls},
                                      {"sockets", verdict.sockets},
                                      {"system_files_read", verdict.systemFiles},
                                      {"own_files_read", verdict.ownFiles},
                                      {"other_files_read", verdict.foreignRead},
                                      {"own_bytes_written", verdict.ownBytes},
                                      {"other_bytes_written", verdict.foreignBytes},
                                      {"other_files_written", verdict.foreignWritten},
                                      {"other_programs", verdict.foreignPrograms},
                                      {"processes", processes}};
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

Status prove(const Options& options) {
    std::string model = library::guidePath();
    if (!options.model.empty()) {
        INGLE_TRY_ASSIGN(model, resolveModel(options.model));
    }
    if (model.empty())
        return fail(ErrorCode::Io, "the guide is not installed; name a model: `ingle prove MODEL`");
    std::error_code unknown;
    model = fs::absolute(model, unknown).string();
    INGLE_TRY_ASSIGN(const auto folder, Folder::create());
    for (const char* variable : {"XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "TMPDIR"})
        ::setenv(variable, folder->path.c_str(), 1);
    INGLE_TRY_ASSIGN(prove::Record record, prove::watch([&] {
                         const Status done = prove::converse(model, folder->path);
                         if (!done) fmt::print(stderr, "{}\n", done.error().message);
                         return done ? 0 : 1;
                     }));
    const std::string program = fs::read_symlink("/proc/self/exe", unknown);
    const sandbox::Enforced enforceable = sandbox::enforceable();
    std::vector<std::string> files = filesOfModel(model);
    files.push_back(model);  // where it is a link
    prove::Verdict verdict = prove::judge(record, {program, folder->path, files, enforceable.landlock > 0});
    const std::string lacking = sandbox::lacking(enforceable);
    if (record.exitStatus != 0)
        verdict.problems.emplace_back("The conversation did not end well, so this proves nothing.");
    options.json ? printJson(record, verdict, lacking) : print(record, verdict, lacking);
    if (verdict.problems.empty()) return {};
    return fail(ErrorCode::Device, "a promise is not kept here: {}", verdict.problems[0]);
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    app.add_option("MODEL", options->model, "model to talk to (default: the guide)");
    app.add_flag("--json", options->json, "as JSON");
    return [options] { return prove(*options); };
}

}  // namespace

extern const Command command{"prove", "watch a conversation and tell what the programs asked the system for",
                             define};

}  // namespace ingle::cli::prove_command
