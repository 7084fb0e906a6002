/// The Inglenook window: refuses the network, makes sure it is the only one, and shows Main.qml.
#include <QDir>
#include <QGuiApplication>
#include <QIcon>
#include <QLocale>
#include <QQmlApplicationEngine>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QTranslator>

#include <sys/stat.h>

#include <cstdio>

#include "app/desktop/single_instance.h"
#include "app/desktop/text.h"
#include "app/desktop/viewmodels/app_model.h"
#include "app/library/guide.h"
#include "app/library/library.h"
#include "app/sandbox/sandbox.h"
#ifdef INGLE_TEST_HOOKS
#include "app/desktop/test_hook.h"
#endif

namespace {

using namespace ingle::desktop;

int refuse(const std::string& sentence) {
    std::fprintf(stderr, "inglenook: %s\n", sentence.c_str());
    return 1;
}

/// As refuse(), for a person who started Inglenook from a menu: returns once the window is closed.
int refuseInWindow(const std::string& sentence) {
    QQmlApplicationEngine engine;
    engine.addImportPath("qrc:/qt/qml");
    engine.setInitialProperties({{"sentence", toQString(sentence)}});
    engine.load(QUrl("qrc:/qt/qml/Inglenook/qml/Refusal.qml"));
    const int status = refuse(sentence);
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

std::string dataDirectory() {
    const QByteArray chosen = qgetenv("INGLE_DATA_DIR");
    return chosen.isEmpty() ? ingle::library::defaultDataDir() : chosen.toStdString();
}

HostCommand hostCommand() {
    HostCommand command = findHost();
#ifdef INGLE_TEST_HOOKS
    command.arguments += qEnvironmentVariable("INGLE_HOST_ARGS").split(' ', Qt::SkipEmptyParts);
#endif
    return command;
}

}  // namespace

int main(int argc, char** argv) {
    ::umask(0077);  // what this program writes is nobody else's business
    if (const auto denied = ingle::sandbox::denyInternetSockets(); !denied)
        return refuse(denied.error().message);
    if (const std::string problem = displayProblem(); !problem.empty()) return refuse(problem);

    chooseRenderer();
    QGuiApplication app(argc, argv);
    QGuiApplication::setApplicationName("inglenook");
    QGuiApplication::setApplicationDisplayName("Inglenook");
    QGuiApplication::setDesktopFileName("io.github.inglenook.Inglenook");
    QGuiApplication::setWindowIcon(QIcon(":/qt/qml/Inglenook/icons/inglenook.svg"));

    QTranslator translator;
    if (translator.load(QLocale(), "inglenook", "_", ":/i18n"))
        QCoreApplication::installTranslator(&translator);
    if (QLocale().textDirection() == Qt::RightToLeft) QGuiApplication::setLayoutDirection(Qt::RightToLeft);

    const std::string dataDir = dataDirectory();
    if (!QDir().mkpath(toQString(dataDir)))
        return refuseInWindow("The folder " + dataDir + " cannot be created.");
    SingleInstance instance(toQString(dataDir));
    if (!instance.claim()) return 0;

    AppModel model(dataDir, hostCommand(), ingle::library::guidePath());
    QQmlApplicationEngine engine;
    engine.addImportPath("qrc:/qt/qml");
    engine.setInitialProperties({{"app", QVariant::fromValue(&model)}});
    engine.load(QUrl("qrc:/qt/qml/Inglenook/qml/Main.qml"));
    if (engine.rootObjects().isEmpty()) return refuse("The window could not be created.");
    auto* window = qobject_cast<QQuickWindow*>(engine.rootObjects().constFirst());
    QObject::connect(&instance, &SingleInstance::raiseRequested, window, [window] {
        window->show();
        window->raise();
        window->requestActivate();
    });
#ifdef INGLE_TEST_HOOKS
    TestHook hook(*window, model);
#endif
    return QGuiApplication::exec();
}
