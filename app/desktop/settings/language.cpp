#include "app/desktop/settings/language.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QLocale>
#include <QSaveFile>
#include <QTranslator>
#include <QVariantMap>

#include <algorithm>
#include <memory>

#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

constexpr auto kFolder = ":/i18n";
constexpr auto kPrefix = "inglenook_";
constexpr qint64 kLongest = 64;

QString fileOf(const std::string& dataDir) {
    return toQString(dataDir + "/language");
}

QStringList translated() {
    QStringList all{"en"};
    for (const QString& file : QDir(kFolder).entryList({QString(kPrefix) + "*.qm"}))
        all.append(file.mid(static_cast<qsizetype>(qstrlen(kPrefix))).chopped(3));
    return all;
}

}  // namespace

QString chosenLanguage(const std::string& dataDir) {
    QFile file(fileOf(dataDir));
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QString language = QString::fromLatin1(file.read(kLongest)).trimmed();
    return translated().contains(language) ? language : QString();
}

bool chooseLanguage(const std::string& dataDir, const QString& language) {
    useLanguage(language);
    if (language.isEmpty()) return !QFile::exists(fileOf(dataDir)) || QFile::remove(fileOf(dataDir));
    QSaveFile file(fileOf(dataDir));
    return file.open(QIODevice::WriteOnly) && file.write(language.toLatin1() + '\n') > 0 && file.commit();
}

QVariantList languages() {
    QVariantList all{QVariantMap{{"value", ""}, {"name", QCoreApplication::translate("Language", "System")}}};
    for (const QString& each : translated())
        all.append(QVariantMap{
            {"value", each},
            {"name", each == "en" ? QStringLiteral("English") : QLocale(each).nativeLanguageName()}});
    return all;
}

void useLanguage(const QString& language) {
    static std::unique_ptr<QTranslator> translator;
    if (translator) QCoreApplication::removeTranslator(translator.get());
    translator = std::make_unique<QTranslator>();
    const QLocale locale = language.isEmpty() ? QLocale::system() : QLocale(language);
    QLocale::setDefault(locale);
    if (translator->load(locale, "inglenook", "_", kFolder))
        QCoreApplication::installTranslator(translator.get());
    QGuiApplication::setLayoutDirection(locale.textDirection());
}

}  // namespace ingle::desktop
