/// The Inglenook window: refuses the network, makes sure it is the only one, and shows Main.qml.
#include <QDir>
#include <QGuiApplication>
#include <QIcon>
#include <QLocale>
#include <QQmlApplicationEngine>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QStandardPaths>
#include <QTranslator>

#include <sys/stat.h>

#include <cstdio>
#include <filesystem>

#include "app/brokers/brokers.h"
#include "app/crash/crash_report.h"
#include "app/desktop/services/text.h"
#include "app/desktop/services/typesetter.h"
#include "app/desktop/settings/language.h"
#include "app/desktop/shell/app_model.h"
#include "app/desktop/shell/arguments.h"
#include "app/desktop/shell/file_argument.h"
#include "app/desktop/shell/single_instance.h"
#include "app/documents/child_process.h"
#include "app/documents/read_document.h"
#include "app/library/catalog.h"
#include "app/library/found_models.h"
#include "app/library/guide.h"
#include "app/library/library.h"
#include "app/local/local_socket.h"
#include "ingle/version.h"
#ifdef INGLE_TEST_HOOKS
#include "app/desktop/shell/test_hook.h"
#include "ingle/paint_thread.h"
#endif

namespace {

using namespace ingle::desktop;

constexpr int kWrongUsage = 2;

int refuse(const std::string& sentence) {
    std::fprintf(stderr, "inglenook: %s\n", sentence.c_str());
    return 1;
}

/// As refuse(), for a person who started Inglenook from a menu: returns once the window is closed.
int refuseInWindow(const QString& sentence) {
    QQmlApplicationEngine engine;
    engine.addImportPath("qrc:/qt/qml");
    engine.setInitialProperties({{"sentence", sentence}});
    engine.load(QUrl("qrc:/qt/qml/Inglenook/shell/Refusal.qml"));
    const int status = refuse(sentence.toStdString());
    if (!engine.rootObjects().isEmpty()) QGuiApplication::exec();
    return status;
}

/// Why no window can be shown, or an empty string. Qt itself would abort without a usable word.
std::string displayProblem() {
    if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY"))
        return {};
    const QByteArray display = qgetenv("DISPLAY");
    if (display.isEmpty()) return "There is no display; `ingle chat` works in a terminal.";
    const QByteArray host = display.left(display.lastIndexOf(':'));
    if (host.isEmpty() || host == "unix" || host.startsWith('/')) return {};
    return "The display " + display.toStdString() +
           " is reached over the network, which Inglenook refuses; use a local display.";
}

void chooseRenderer() {
    // A graphics driver must not take the window down, so the GPU draws it only on request.
    if (qEnvironmentVariable("INGLE_RENDERER") != "gpu") {
        QQuickWindow::setGraphicsApi(QSGRendererInterface::Software);
    }
    QQuickStyle::setStyle("Basic");
}

/// For what the history and everything else is kept in. Errors: Io.
ingle::Status makeFolder(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return ingle::fail(ingle::ErrorCode::Io, "{} cannot be made: {}", path, error.message());
    return {};
}

/// Why Inglenook does not start in this data folder.
QString refusalOf(const ingle::Error& error) {
    const QString reason = toQString(error.message);
    if (error.code != ingle::ErrorCode::Io)
        return QCoreApplication::translate("main", "Inglenook is open already, but %1.").arg(reason);
    return QCoreApplication::translate(
               "main",
               "The folder for conversations %1. Fix the permissions, or choose another "
               "folder with --data-dir.")
        .arg(reason);
}

/// Errors: InvalidArgument for what is neither a file nor an address.
ingle::Result<StartRequest> startRequest(const Arguments& arguments) {
    StartRequest request{.files = {},
                         .newChat = arguments.newChat,
                         .activationToken = qEnvironmentVariable("XDG_ACTIVATION_TOKEN")};
    for (const std::string& file : arguments.files) {
        request.files.append(fileOfArgument(toQString(file), QDir::currentPath()));
        if (!request.files.last().isValid())
            return ingle::fail(ingle::ErrorCode::InvalidArgument, "{} is no file and no address", file);
    }
    return request;
}

/// Cages this process. Returns what this computer lacks for it.
ingle::Result<std::string> confine(const std::string& dataDir, const std::string& cacheDir,
                                   const HostCommand& host) {
    using ingle::brokers::Startable;
    Startable engine{host.program.toStdString(), {}};
    for (const QString& each : host.arguments) engine.arguments.push_back(each.toStdString());
    auto stopped = ingle::brokers::confineWindow(
        {.programs =
             {std::move(engine),
              {findTypesetter().toStdString(), {}},
              {ingle::documents::findReader(), {}, true},
              {ingle::documents::findReader(), {"", std::string(ingle::documents::kPictureOnWhiteTask)}},
              {ingle::documents::findReader(), {"", std::string(ingle::documents::kPageTask)}, true},
              {ingle::documents::findReader(), {"", std::string(ingle::documents::kPagePictureTask)}, true}},
         // Without the folder for sockets there is no bridge.
         .sockets = {ingle::local::defaultSocketPath(ingle::local::kBridgeSocket).value_or("")},
         .runtimeFolder = socketFolder().toStdString(),
         .writable = {dataDir, cacheDir}});
    // What graphics drivers keep otherwise lies where this process may not write.
    for (const char* place : {"MESA_SHADER_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH"})
        if (!qEnvironmentVariableIsSet(place)) qputenv(place, QByteArray::fromStdString(cacheDir));
    return stopped;
}

HostCommand hostCommand() {
    HostCommand command = findHost();
#ifdef INGLE_TEST_HOOKS
    command.arguments += qEnvironmentVariable("INGLE_HOST_ARGS").split(' ', Qt::SkipEmptyParts);
#endif
    return command;
}

/// The program, from its first line on. Returns its exit status.
int run(int argc, char** argv) {
    ::umask(0077);  // what this program writes is nobody else's business
    if (const auto answer = answerAtOnce(argc, argv)) {
        std::fputs(answer->c_str(), stdout);
        return std::fflush(stdout) == 0 ? 0 : 1;
    }
    if (const std::string problem = displayProblem(); !problem.empty()) return refuse(problem);
    // Before Qt, which starts threads. Its own options may be among the arguments.
    const auto chosen = chosenDataDir(argc, argv);
    if (chosen && !chosen->empty()) ingle::library::useDataDir(*chosen);
    const std::string dataDir = ingle::library::defaultDataDir(),
                      cacheDir = ingle::library::defaultCacheDir();
    // Wrong usage makes nothing; it is told below.
    const auto made = chosen ? makeFolder(dataDir) : ingle::Status();
    if (made && chosen) (void)makeFolder(cacheDir);  // everything works without it
    const HostCommand host = hostCommand();
    const auto lacking = confine(dataDir, cacheDir, host);
    if (!lacking) return refuse(lacking.error().message);

    chooseRenderer();
    // Files are chosen in the desktop's own dialog, which its portal shows: the kernel lets nobody else in.
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORMTHEME"))
        qputenv("QT_QPA_PLATFORMTHEME", "xdgdesktopportal");
    QGuiApplication app(argc, argv);
    QGuiApplication::setApplicationName("inglenook");
    QGuiApplication::setApplicationDisplayName("Inglenook");
    QGuiApplication::setDesktopFileName("io.github.inglenook.Inglenook");
    QGuiApplication::setWindowIcon(QIcon(":/qt/qml/Inglenook/icons/inglenook.svg"));

    useLanguage({});
    const auto arguments = parseArguments(argc, argv);
    if (!arguments) {
        refuse(arguments.error().message);
        return kWrongUsage;
    }
    useLanguage(chosenLanguage(dataDir));
    // Qt's own place is not in a chosen data folder.
    qputenv("QML_DISK_CACHE_PATH", QByteArray::fromStdString(cacheDir + "/qmlcache"));
    if (!made) return refuseInWindow(refusalOf(made.error()));
    ingle::crash::keepReports({dataDir + "/crashes", "inglenook", std::string(ingle::version())});
    const auto request = startRequest(*arguments);
    if (!request) {
        refuse(request.error().message);
        return kWrongUsage;
    }
    SingleInstance instance(toQString(dataDir));
    const auto claim = instance.claim(*request);
    if (!claim) return refuseInWindow(refusalOf(claim.error()));
    if (*claim == SingleInstance::Claim::HandedOver) return 0;

    AppModel model({.dataDir = dataDir,
                    .guide = ingle::library::guidePath(),
                    .catalog = ingle::library::catalogPath(),
                    .downloads = QStandardPaths::writableLocation(QStandardPaths::DownloadLocation),
                    .cacheDir = cacheDir,
                    .places = ingle::library::usualPlaces(),
                    // Without the folder for sockets there is no bridge.
                    .bridge = ingle::local::defaultSocketPath(ingle::local::kBridgeSocket).value_or("")},
                   host);
    QQmlApplicationEngine engine;
    engine.addImportPath("qrc:/qt/qml");
    engine.setInitialProperties({{"app", QVariant::fromValue(&model)}});
    engine.load(QUrl("qrc:/qt/qml/Inglenook/shell/Main.qml"));
    if (engine.rootObjects().isEmpty()) return refuse("The window could not be created.");
    auto* window = qobject_cast<QQuickWindow*>(engine.rootObjects().constFirst());
    QObject::connect(model.services(), &Services::languageChanged, &engine,
                     &QQmlApplicationEngine::retranslate);
    model.serve(*request);
    QObject::connect(&instance, &SingleInstance::requested, window,
                     [window, &model](const StartRequest& next) {
                         window->setWindowStates(window->windowStates() & ~Qt::WindowMinimized);
                         window->show();
                         window->raise();
                         // Where Qt looks for it.
                         if (!next.activationToken.isEmpty())
                             qputenv("XDG_ACTIVATION_TOKEN", next.activationToken.toUtf8());
                         window->requestActivate();
                         model.serve(next);
                     });
#ifdef INGLE_TEST_HOOKS
    ingle::markPaintThread();
    TestHook hook(*window, model);
#endif
    return QGuiApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
    const int status = run(argc, argv);
    std::fflush(nullptr);
    // Work that was left behind (storage::Lane) may use what exit() would destroy.
    std::_Exit(status);
}
