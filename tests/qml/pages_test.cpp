/// The pages that take the place of the chat, the ways to them, and what the composer and the model's name
/// offer.
#include <QAccessible>
#include <QClipboard>
#include <QMimeData>

#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

class PagesTest : public QObject, WindowFiles {
    Q_OBJECT

    static constexpr const char* kPages[] = {"models",  "documents", "data", "settings",
                                             "prompts", "trash",     "help", "shortcuts"};

    static QQuickItem* page(WindowRun& run, const char* name) {
        return run.shownItem(qPrintable(QString(name) + "Page"));
    }
    static QQuickItem* first(WindowRun& run, const char* name) {
        const QList<QQuickItem*> all = run.shownItems(name);
        return all.isEmpty() ? nullptr : all.first();
    }
    /// What it says; empty: it is not seen.
    static QString textOf(WindowRun& run, const char* name) {
        const QQuickItem* item = first(run, name);
        return item == nullptr ? QString() : item->property("text").toString();
    }
    QString makeModel(const QString& name) {
        const QString path = m_folder.filePath(name);
        QFile file(path);
        if (file.open(QIODevice::WriteOnly)) file.write(name.toUtf8());
        return path;
    }
    static QVariant said(WindowRun& run, const QString& path, ModelLibrary::Role role) {
        const ModelLibrary& library = *run.model.library();
        for (int row = 0; row < library.rowCount(); ++row)
            if (library.index(row).data(ModelLibrary::PathRole) == path) return library.index(row).data(role);
        return {};
    }
    static QString nameOf(WindowRun& run, const QString& path) {
        return said(run, path, ModelLibrary::NameRole).toString();
    }
    /// A window with two models; the first is in use, and the name of the other one finds only that.
    void open(WindowRun& run) {
        m_other = makeModel("another.gguf");
        const auto uses = [&run](const QString& path) {
            return run.ready() && !run.model.models()->choosing() &&
                   run.model.models()->current().path == path.toStdString();
        };
        for (const QString& path : {m_modelFile, m_other}) {
            run.drop(path);
            QTRY_VERIFY_WITH_TIMEOUT(uses(path), kPatienceMs);
        }
        QTRY_COMPARE(run.model.library()->rowCount(), 2);
        run.model.models()->use(said(run, m_modelFile, ModelLibrary::ModelIdRole).toString());
        QTRY_VERIFY_WITH_TIMEOUT(uses(m_modelFile), kPatienceMs);
        const QString other = nameOf(run, m_other), current = nameOf(run, m_modelFile);
        QVERIFY2(!other.isEmpty() && !current.contains(other), qPrintable(other + ", " + current));
    }
    /// The other model is chosen by its name.
    void typeOther(WindowRun& run) {
        QTRY_VERIFY(first(run, "modelMenuFilter") != nullptr);
        QTRY_VERIFY(first(run, "modelMenuFilter")->hasActiveFocus());
        for (const QChar key : nameOf(run, m_other)) QTest::keyClick(run.window, key.toLatin1());
        QTest::keyClick(run.window, Qt::Key_Return);
    }
    static bool asked(WindowRun& run, const char* text, size_t messages) {
        run.chat().send(text);
        return QTest::qWaitFor([&] { return run.messages().size() == messages && run.idle(); }, kPatienceMs);
    }

    QString m_other;

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void pagesUseTheWindowAndOneColumnWhereItIsNarrow() {
        for (const int width : {360, 1600}) {
            WindowRun run(freshDataDir(), {});
            open(run);
            run.window->resize(width, 720);
            QTRY_COMPARE(run.window->width(), width);
            for (const char* name : kPages) {
                run.model.actions()->run(name);
                QTRY_VERIFY2(page(run, name) != nullptr && page(run, name)->isVisible(), name);
                const QQuickItem* shown = page(run, name);
                QTRY_VERIFY2(shown->width() <= width, name);
                QTest::qWait(50);  // until everything has found its place
                run.window->grabWindow();
                QVERIFY2(shown->width() >= (width == 360 ? 360 : 1200), name);
                for (const char* type : {"TextButton", "IconButton", "InputField"}) {
                    for (QQuickItem* each : run.shownItems(type)) {
                        const double right = each->mapToScene(QPointF(each->width(), 0)).x();
                        QVERIFY2(right <= width, qPrintable(QString("%1: %2").arg(name, each->objectName())));
                    }
                }
                QTest::keyClick(run.window, Qt::Key_Escape);
                QTRY_VERIFY2(page(run, name) == nullptr, name);
                QTRY_VERIFY2(run.item("composerInput")->hasActiveFocus(), name);
            }
        }
    }

    void everyPageHasAnEntryWithoutAKey() {
        WindowRun run(freshDataDir(), {});
        open(run);
        for (const char* name : {"documents", "prompts", "trash", "help"}) {
            const QString entry = QString("entry-") + name;
            QTRY_VERIFY2(first(run, qPrintable(entry)) != nullptr, name);
            run.click(first(run, qPrintable(entry)), QPointF(8, 8));
            QTRY_VERIFY2(page(run, name) != nullptr, name);
        }
        run.click(first(run, "entry-privateChat"), QPointF(8, 8));
        QTRY_VERIFY(run.model.secret()->isShown());
        QTRY_VERIFY(page(run, "help") == nullptr);
    }

    void aModelIsDescribed() {
        WindowRun run(freshDataDir(), {});
        open(run);
        run.window->resize(1500, 900);
        run.model.actions()->run("models");
        QTRY_VERIFY(first(run, "detailsName") != nullptr);
        QTRY_COMPARE(textOf(run, "detailsName"), nameOf(run, m_modelFile));
        const ModelLibrary& library = *run.model.library();
        const QString id = said(run, m_other, ModelLibrary::ModelIdRole).toString();
        const QVariantList facts = library.describe(id)["facts"].toList();
        QStringList names;
        for (const QVariant& fact : facts) names << fact.toMap()["name"].toString();
        for (const char* wanted : {"Kind and size", "File", "Where it lies"})
            QVERIFY2(names.contains(wanted), qPrintable(names.join(", ")));
    }

    void settingsAreSearched() {
        WindowRun run(freshDataDir(), {});
        QTRY_VERIFY(run.window->isVisible());
        run.model.actions()->run("settings");
        QTRY_VERIFY(first(run, "settingsSearch") != nullptr);
        QTRY_VERIFY(first(run, "settingsSearch")->hasActiveFocus());
        QVERIFY(first(run, "settings-temperature") != nullptr && first(run, "theme-dark") != nullptr);
        first(run, "settingsSearch")->setProperty("text", "dark");
        QTRY_VERIFY(first(run, "settings-temperature") == nullptr);
        QVERIFY(first(run, "theme-dark") != nullptr);
        // Buttons of which one is chosen are a group with a name.
        QAccessibleInterface* group =
            QAccessible::queryAccessibleInterface(first(run, "theme-dark")->parentItem());
        QVERIFY(group != nullptr);
        QCOMPARE(group->role(), QAccessible::Grouping);
        QCOMPARE(group->text(QAccessible::Name), QString("Colours"));
    }

    void theFieldOfASettingStandsInItsRow() {
        WindowRun run(freshDataDir(), {});
        QTRY_VERIFY(run.window->isVisible());
        run.model.actions()->run("settings");
        QTRY_VERIFY(first(run, "settings-systemPrompt") != nullptr);
        run.window->grabWindow();
        const auto shown = [&](QQuickItem* item) {
            return item->mapRectToItem(run.window->contentItem(),
                                       QRectF(0, 0, item->width(), item->height()));
        };
        int numFields = 0;
        for (QQuickItem* row : run.shownItems("SettingsRow")) {
            QQuickItem* field =
                first(run, ("settings-" + row->property("key").toString()).toUtf8().constData());
            if (field == nullptr) continue;
            ++numFields;
            QVERIFY2(shown(row).adjusted(-1, -1, 1, 1).contains(shown(field)),
                     qPrintable(field->objectName()));
        }
        QVERIFY(numFields > 3);
    }

    /// The field has the keyboard until the page is gone.
    void whatWasTypedIsKeptWhenThePageIsLeft() {
        WindowRun run(freshDataDir(), {});
        QTRY_VERIFY(run.window->isVisible());
        run.model.actions()->run("settings");
        QTRY_VERIFY(first(run, "settings-systemPrompt") != nullptr);
        QQuickItem* field = first(run, "settings-systemPrompt");
        field->forceActiveFocus();
        QTRY_VERIFY(field->hasActiveFocus());
        field->setProperty("text", "Answer briefly.");
        QTest::keyClick(run.window, Qt::Key_Escape);
        QTRY_COMPARE(run.model.settings()->property("systemPrompt").toString(), "Answer briefly.");
    }

    void theLanguageChangesAtOnceAndIsKept() {
        const QString data = freshDataDir();
        {
            WindowRun run(data, {});
            open(run);
            QTRY_VERIFY(run.window->isVisible());
            QCOMPARE(run.model.actions()->words("settings"), QString("Settings"));
            run.model.actions()->run("settings");
            QTRY_VERIFY(first(run, "language-de") != nullptr);
            run.click(first(run, "language-de"), QPointF(8, 8));
            QTRY_COMPARE(page(run, "settings")->property("title").toString(), QString("Einstellungen"));
            QCOMPARE(run.model.actions()->words("settings"), QString("Einstellungen"));
            QVERIFY(run.model.actions()->hint("search").contains("Strg"));
        }
        WindowRun run(data, {});
        QCOMPARE(run.model.program()->language(), QString("de"));
        run.model.program()->setLanguage("en");
        QCOMPARE(run.model.actions()->words("settings"), QString("Settings"));
        run.model.program()->setLanguage("");
        QVERIFY(!QFile::exists(data + "/language"));
    }

    void theNameOfTheModelOpensAListWithAFilter() {
        WindowRun run(freshDataDir(), {});
        open(run);
        run.click(run.item("modelButton"), QPointF(8, 8));
        typeOther(run);
        QTRY_COMPARE_WITH_TIMEOUT(run.model.models()->current().path, m_other.toStdString(), kPatienceMs);
    }

    void anotherModelAnswersAgain() {
        WindowRun run(freshDataDir(), {});
        open(run);
        QVERIFY(asked(run, "count", 2));
        const auto answer = static_cast<qint64>(run.messages().back().id);
        run.model.actions()->run("regenerateWith", answer);
        typeOther(run);
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().back().siblingCount == 2 && run.idle(), kPatienceMs);
        QCOMPARE(QString::fromStdString(run.messages().back().modelName), nameOf(run, m_other));
    }

    void aMessageWaitsForTheAnswer() {
        WindowRun run(freshDataDir(), {"--pace-ms", "20"});
        open(run);
        run.chat().send("first");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2, kPatienceMs);
        run.chat().setDraft("second");
        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_VERIFY(run.chat().waitsToSend());
        QTRY_VERIFY(first(run, "waitsToSend") != nullptr);
        QCOMPARE(run.chat().draft(), QString("second"));  // it is kept until it is sent
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 4, kPatienceMs);
        QCOMPARE(run.said(2), std::string("second"));
        QVERIFY(!run.chat().waitsToSend());
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        // Stopped, it is not sent by itself.
        run.chat().send("third");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 6, kPatienceMs);
        run.chat().setDraft("fourth");
        run.chat().send("fourth");
        run.chat().stop();
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QTest::qWait(200);
        QCOMPARE(run.messages().size(), size_t{6});
        QCOMPARE(run.chat().draft(), QString("fourth"));
    }

    void aMessageSaysWhenItWasWritten() {
        WindowRun run(freshDataDir(), {});
        open(run);
        QVERIFY(asked(run, "count", 2));
        ChatRows& rows = *run.chat().messages();
        const QModelIndex last = rows.index(rows.rowCount() - 1);
        const QString now = QLocale().toString(QTime::currentTime(), QLocale::ShortFormat);
        QVERIFY2(last.data(ChatRows::TimeRole).toString().startsWith(now.left(2)),
                 qPrintable(last.data(ChatRows::TimeRole).toString()));
    }

    void theSearchOutlivesANarrowWindowAndIsCleared() {
        WindowRun run(freshDataDir(), {});
        open(run);
        QVERIFY(asked(run, "needle", 2));
        run.item("searchField")->setProperty("text", "needle");
        QTRY_COMPARE(run.model.conversations()->searchText(), QString("needle"));
        run.window->resize(500, 700);
        run.model.actions()->run("search");
        QTRY_VERIFY(first(run, "searchField") != nullptr);
        QCOMPARE(first(run, "searchField")->property("text").toString(), QString("needle"));
        QTRY_VERIFY(first(run, "clearSearch") != nullptr);
        first(run, "clearSearch")->metaObject()->invokeMethod(first(run, "clearSearch"), "clicked");
        QTRY_COMPARE(run.model.conversations()->searchText(), QString());
    }

    void largeTextStaysInItsPlace() {
        WindowRun run(freshDataDir(), {});
        open(run);
        run.model.settings()->setTextScale(200);
        run.window->grabWindow();
        QQuickItem* button = run.item("sendButton");
        QQuickItem* box = run.item("composerInput")->parentItem()->parentItem()->parentItem();
        const QRectF inside = button->mapRectToItem(box, {0, 0, button->width(), button->height()});
        QVERIFY2(QRectF(0, 0, box->width(), box->height()).contains(inside),
                 "the send button left its field");
        QQuickItem* icon = first(run, "attachButton");
        QVERIFY(icon != nullptr && icon->height() >= 60);
    }

    void severalConversationsAreNamedByTheirNumber() {
        WindowRun run(freshDataDir(), {});
        open(run);
        for (const char* title : {"one", "two", "three"}) {
            run.chat().newConversation();
            QVERIFY(asked(run, title, 2));
        }
        ConversationListModel& list = *run.model.conversations();
        QTRY_COMPARE(list.rowCount(), 3);
        const auto idOf = [&list](int row) {
            return list.index(row).data(ConversationListModel::ConversationIdRole).toLongLong();
        };
        list.toggleSelected(idOf(0));
        list.toggleSelected(idOf(1));
        QStringList words;
        for (const QVariant& each : run.model.actions()->ofConversation(idOf(0)))
            words << each.toMap()["words"].toString();
        QVERIFY2(words.contains("Delete 2 conversations"), qPrintable(words.join(", ")));
        words.clear();
        for (const QVariant& each : run.model.actions()->ofConversation(idOf(2)))
            words << each.toMap()["words"].toString();
        QVERIFY2(words.contains("Delete the conversation"), qPrintable(words.join(", ")));
    }

    void aDialogHasAName() {
        WindowRun run(freshDataDir(), {});
        open(run);
        run.model.actions()->run("palette");
        QTRY_VERIFY(first(run, "paletteField") != nullptr);
        QQuickItem* item = first(run, "paletteField");
        QAccessibleInterface* dialog = nullptr;
        for (; item != nullptr && dialog == nullptr; item = item->parentItem()) {
            QAccessibleInterface* each = QAccessible::queryAccessibleInterface(item);
            if (each != nullptr && each->role() == QAccessible::Dialog) dialog = each;
        }
        QVERIFY(dialog != nullptr);
        QCOMPARE(dialog->text(QAccessible::Name), QString("All actions"));
    }
};

WINDOW_SUITE(PagesTest)
#include "pages_test.moc"
