<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE">
<context>
    <name>About</name>
    <message>
        <source>Inglenook %1.</source>
        <translation>Inglenook %1.</translation>
    </message>
    <message>
        <source>This version is a month old.</source>
        <translation>Diese Version ist einen Monat alt.</translation>
    </message>
    <message numerus="yes">
        <source>This version is %n months old.</source>
        <translation>
            <numerusform>Diese Version ist %n Monat alt.</numerusform>
            <numerusform>Diese Version ist %n Monate alt.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>Check the answer</source>
        <translation>Die Antwort prüfen</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>Neue Zeile</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation>Antwort fortsetzen</translation>
    </message>
    <message>
        <source>Another answer</source>
        <translation>Andere Antwort</translation>
    </message>
    <message>
        <source>Copy the answer</source>
        <translation>Antwort kopieren</translation>
    </message>
    <message>
        <source>Edit and ask again</source>
        <translation>Ändern und neu fragen</translation>
    </message>
    <message>
        <source>Change the last message</source>
        <translation>Letzte Nachricht ändern</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Neues Gespräch</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Next and previous conversation</source>
        <translation>Nächstes und voriges Gespräch</translation>
    </message>
    <message>
        <source>Next conversation</source>
        <translation>Nächstes Gespräch</translation>
    </message>
    <message>
        <source>Previous conversation</source>
        <translation>Voriges Gespräch</translation>
    </message>
    <message>
        <source>Rename the conversation</source>
        <translation>Gespräch umbenennen</translation>
    </message>
    <message>
        <source>Pin the conversation</source>
        <translation>Gespräch anheften</translation>
    </message>
    <message>
        <source>Unpin the conversation</source>
        <translation>Gespräch lösen</translation>
    </message>
    <message>
        <source>Delete the conversation</source>
        <translation>Gespräch löschen</translation>
    </message>
    <message>
        <source>Delete the message</source>
        <translation>Nachricht löschen</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>Papierkorb</translation>
    </message>
    <message>
        <source>Undo the last deletion or change</source>
        <translation>Letzte Löschung oder Änderung rückgängig machen</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Use the model used before</source>
        <translation>Das vorige Modell verwenden</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>Größerer Text</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>Kleinerer Text</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>All actions</source>
        <translation>Alle Aktionen</translation>
    </message>
    <message>
        <source>All shortcuts</source>
        <translation>Alle Tastenkürzel</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>Vorige Fassung</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>Nächste Fassung</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>In diesem Gespräch suchen</translation>
    </message>
    <message>
        <source>Next place found</source>
        <translation>Nächste Fundstelle</translation>
    </message>
    <message>
        <source>Previous place found</source>
        <translation>Vorige Fundstelle</translation>
    </message>
    <message>
        <source>Private chat</source>
        <translation>Privates Gespräch</translation>
    </message>
    <message>
        <source>Close the private chat</source>
        <translation>Privates Gespräch schließen</translation>
    </message>
    <message>
        <source>Archive the conversation</source>
        <translation>Gespräch archivieren</translation>
    </message>
    <message>
        <source>Take the conversation out of the archive</source>
        <translation>Gespräch aus dem Archiv holen</translation>
    </message>
    <message>
        <source>Move to a folder…</source>
        <translation>In einen Ordner legen …</translation>
    </message>
    <message>
        <source>Continue here in a new chat</source>
        <translation>Hier in einem neuen Gespräch weiter</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source>Find its quotes in the documents</source>
        <translation>Ihre Zitate in den Dokumenten suchen</translation>
    </message>
    <message>
        <source>What the model sees</source>
        <translation>Was das Modell sieht</translation>
    </message>
    <message>
        <source>Settings of this chat…</source>
        <translation>Einstellungen dieses Gesprächs …</translation>
    </message>
    <message>
        <source>Settings of this model…</source>
        <translation>Einstellungen dieses Modells …</translation>
    </message>
    <message>
        <source>Export the conversation…</source>
        <translation>Gespräch ausgeben…</translation>
    </message>
    <message>
        <source>Your data</source>
        <translation>Ihre Daten</translation>
    </message>
    <message>
        <source>Export all conversations…</source>
        <translation>Alle Gespräche ausgeben…</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>Jetzt sichern</translation>
    </message>
    <message>
        <source>Your prompts</source>
        <translation>Ihre Vorlagen</translation>
    </message>
    <message>
        <source>Another answer by another model…</source>
        <translation>Andere Antwort von einem anderen Modell…</translation>
    </message>
    <message>
        <source>Pin in context</source>
        <translation>Im Kontext anheften</translation>
    </message>
    <message>
        <source>Unpin from context</source>
        <translation>Aus dem Kontext lösen</translation>
    </message>
    <message>
        <source>Import chats…</source>
        <translation>Chats importieren…</translation>
    </message>
    <message>
        <source>Reset text size</source>
        <translation>Textgröße zurücksetzen</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>Datei öffnen…</translation>
    </message>
    <message numerus="yes">
        <source>Pin %n conversations</source>
        <translation>
            <numerusform>%n Gespräch anheften</numerusform>
            <numerusform>%n Gespräche anheften</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Unpin %n conversations</source>
        <translation>
            <numerusform>%n Gespräch lösen</numerusform>
            <numerusform>%n Gespräche lösen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n conversations</source>
        <translation>
            <numerusform>%n Gespräch löschen</numerusform>
            <numerusform>%n Gespräche löschen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Archive %n conversations</source>
        <translation>
            <numerusform>%n Gespräch archivieren</numerusform>
            <numerusform>%n Gespräche archivieren</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Take %n conversations out of the archive</source>
        <translation>
            <numerusform>%n Gespräch aus dem Archiv holen</numerusform>
            <numerusform>%n Gespräche aus dem Archiv holen</numerusform>
        </translation>
    </message>
    <message>
        <source>Attach a screenshot…</source>
        <translation>Bildschirmfoto anhängen…</translation>
    </message>
    <message>
        <source>Add a picture or a document…</source>
        <translation>Bild oder Dokument hinzufügen…</translation>
    </message>
</context>
<context>
    <name>ActionsRow</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
</context>
<context>
    <name>AttachedPicture</name>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>Remove the picture</source>
        <translation>Das Bild entfernen</translation>
    </message>
</context>
<context>
    <name>AttachedRow</name>
    <message>
        <source>Remove the attached text</source>
        <translation>Den angehängten Text entfernen</translation>
    </message>
</context>
<context>
    <name>BackupRow</name>
    <message>
        <source>Restore…</source>
        <translation>Wiederherstellen…</translation>
    </message>
    <message>
        <source>Restore the backup of %1</source>
        <translation>Die Sicherung vom %1 wiederherstellen</translation>
    </message>
    <message>
        <source>Your conversations become as they were then. Those of now are kept in a file beside them, until you remove it.</source>
        <translation>Ihre Gespräche werden, wie sie damals waren. Die von jetzt bleiben in einer Datei daneben, bis Sie sie entfernen.</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
</context>
<context>
    <name>BlockList</name>
    <message>
        <source>Another word here…</source>
        <translation>Hier ein anderes Wort …</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy as %1</source>
        <translation>Als %1 kopieren</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>Link kopieren</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alles auswählen</translation>
    </message>
    <message>
        <source>Copy the table as CSV</source>
        <translation>Tabelle als CSV kopieren</translation>
    </message>
    <message>
        <source>Quote in the message</source>
        <translation>In der Nachricht zitieren</translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>ChatController</name>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
</context>
<context>
    <name>ChatList</name>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
</context>
<context>
    <name>ChatView</name>
    <message>
        <source>Conversations</source>
        <translation>Gespräche</translation>
    </message>
    <message>
        <source>To the newest message</source>
        <translation>Zur neuesten Nachricht</translation>
    </message>
    <message>
        <source>Private chat</source>
        <translation>Privates Gespräch</translation>
    </message>
</context>
<context>
    <name>CodeBlock</name>
    <message>
        <source>Copy the code</source>
        <translation>Code kopieren</translation>
    </message>
    <message>
        <source>Code, %1</source>
        <translation>Code, %1</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>Save the code as a file</source>
        <translation>Den Code als Datei speichern</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>Your message is sent as soon as the answer is finished.</source>
        <translation>Ihre Nachricht wird gesendet, sobald die Antwort fertig ist.</translation>
    </message>
    <message>
        <source>Don&apos;t send yet</source>
        <translation>Noch nicht senden</translation>
    </message>
    <message numerus="yes">
        <source>Opening %n pictures…</source>
        <translation>
            <numerusform>Ein Bild wird geöffnet…</numerusform>
            <numerusform>%n Bilder werden geöffnet…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ConversationRow</name>
    <message>
        <source>New title</source>
        <translation>Neuer Titel</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>Weitere Aktionen</translation>
    </message>
</context>
<context>
    <name>CopyButton</name>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
</context>
<context>
    <name>CrashCard</name>
    <message>
        <source>What happened</source>
        <translation>Was geschehen ist</translation>
    </message>
    <message>
        <source>This report tells programmers where Inglenook crashed. It holds nothing you wrote, and it goes nowhere unless you send it.</source>
        <translation>Dieser Bericht sagt Programmierern, wo Inglenook abgestürzt ist. Er enthält nichts, was Sie geschrieben haben, und geht nirgendwohin, wenn Sie ihn nicht selbst senden.</translation>
    </message>
    <message>
        <source>Crash report</source>
        <translation>Absturzbericht</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern…</translation>
    </message>
    <message>
        <source>Save the crash report</source>
        <translation>Absturzbericht speichern</translation>
    </message>
</context>
<context>
    <name>DataPage</name>
    <message>
        <source>Your data</source>
        <translation>Ihre Daten</translation>
    </message>
    <message>
        <source>Import chats</source>
        <translation>Chats importieren</translation>
    </message>
    <message>
        <source>From %1, or an export of Inglenook: what the program exports (ChatGPT&apos;s archive unpacked), or where it keeps its chats. You can also drop it on the window. Nothing is written before you have seen what is in it.</source>
        <translation>Aus %1 oder einer Ausgabe von Inglenook: was das Programm ausgibt (das Archiv von ChatGPT entpackt) oder worin es seine Gespräche aufhebt. Sie können es auch auf das Fenster ziehen. Geschrieben wird erst, wenn Sie gesehen haben, was darin ist.</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Datei wählen…</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Ordner wählen…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>As text, as a page to print, or with all there is. One conversation alone: in its menu.</source>
        <translation>Als Text, als Seite zum Drucken oder mit allem, was es gibt. Ein einzelnes Gespräch: in seinem Menü.</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Ausgeben…</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Sicherungen</translation>
    </message>
    <message>
        <source>Working…</source>
        <translation>In Arbeit…</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>Jetzt sichern</translation>
    </message>
    <message>
        <source>Where it lies</source>
        <translation>Wo alles liegt</translation>
    </message>
</context>
<context>
    <name>DocumentFormats</name>
    <message>
        <source>web page</source>
        <translation>Webseite</translation>
    </message>
    <message>
        <source>Markdown text</source>
        <translation>Markdown-Text</translation>
    </message>
    <message>
        <source>OpenDocument text</source>
        <translation>OpenDocument-Text</translation>
    </message>
    <message>
        <source>picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Word document</source>
        <translation>Word-Dokument</translation>
    </message>
    <message>
        <source>folder</source>
        <translation>Ordner</translation>
    </message>
</context>
<context>
    <name>DocumentRow</name>
    <message>
        <source>Read it and ask</source>
        <translation>Lesen und fragen</translation>
    </message>
    <message>
        <source>Ask about it</source>
        <translation>Dazu fragen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Read it</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>Make room for it</source>
        <translation>Platz dafür schaffen</translation>
    </message>
    <message>
        <source>Forget what models have read</source>
        <translation>Vergessen, was Modelle gelesen haben</translation>
    </message>
    <message>
        <source>Remove from the shelf</source>
        <translation>Aus dem Regal nehmen</translation>
    </message>
    <message>
        <source>It will have to be read again.</source>
        <translation>Es muss dann noch einmal gelesen werden.</translation>
    </message>
    <message>
        <source>It goes with all that was read of it; chats that use it keep its text.</source>
        <translation>Es geht mit allem, was davon gelesen wurde; Gespräche, die es verwenden, behalten seinen Text.</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
</context>
<context>
    <name>DocumentSentences</name>
    <message>
        <source>it is damaged and cannot be read.</source>
        <translation>es ist beschädigt und kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>it is protected by a password. Save a copy without one.</source>
        <translation>es ist durch ein Kennwort geschützt. Speichern Sie eine Kopie ohne Kennwort.</translation>
    </message>
    <message>
        <source>there is no text in it.</source>
        <translation>es enthält keinen Text.</translation>
    </message>
    <message>
        <source>it is too large to be read as a document.</source>
        <translation>es ist zu groß, um als Dokument gelesen zu werden.</translation>
    </message>
    <message>
        <source>it has more text than can be read at once; a part of it can.</source>
        <translation>es hat mehr Text, als auf einmal gelesen werden kann; ein Teil davon geht.</translation>
    </message>
    <message>
        <source>it would unpack to far more than a document holds, so it was left unread.</source>
        <translation>ausgepackt wäre es viel größer als ein Dokument, deshalb wurde es nicht gelesen.</translation>
    </message>
    <message>
        <source>its fonts do not say which characters they show. A copy with embedded fonts can be read.</source>
        <translation>seine Schriften sagen nicht, welche Zeichen sie zeigen. Eine Kopie mit eingebetteten Schriften kann gelesen werden.</translation>
    </message>
    <message>
        <source>reading it failed: it is damaged, or larger than the memory that reading may take.</source>
        <translation>es konnte nicht gelesen werden: es ist beschädigt oder größer als der Speicher, den das Lesen nehmen darf.</translation>
    </message>
    <message>
        <source>reading it took too long and was ended.</source>
        <translation>das Lesen dauerte zu lange und wurde beendet.</translation>
    </message>
    <message>
        <source>the part of Inglenook that reads documents is missing. Please install it again.</source>
        <translation>der Teil von Inglenook, der Dokumente liest, fehlt. Bitte installieren Sie es neu.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>it contains only scanned images and no text. A model that sees pictures can read them, and so can Tesseract where it is installed (package tesseract-ocr).</source>
        <translation>sie enthält nur gescannte Bilder und keinen Text. Ein Modell, das Bilder sieht, kann sie lesen, und auch Tesseract, wenn es installiert ist (Paket tesseract-ocr).</translation>
    </message>
</context>
<context>
    <name>DocumentStrip</name>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Read it</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Not in this chat</source>
        <translation>Nicht in diesem Gespräch</translation>
    </message>
</context>
<context>
    <name>DocumentsPage</name>
    <message>
        <source>Documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>Hinzufügen…</translation>
    </message>
    <message>
        <source>Add documents</source>
        <translation>Dokumente hinzufügen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>DropPlace</name>
    <message>
        <source>Drop to open</source>
        <translation>Zum Öffnen loslassen</translation>
    </message>
</context>
<context>
    <name>EditorRow</name>
    <message>
        <source>Edit your message</source>
        <translation>Nachricht ändern</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
</context>
<context>
    <name>Entries</name>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
</context>
<context>
    <name>ErrorDetails</name>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>Hide the details</source>
        <translation>Einzelheiten verbergen</translation>
    </message>
    <message>
        <source>Show the details</source>
        <translation>Einzelheiten zeigen</translation>
    </message>
    <message>
        <source>Copy the details</source>
        <translation>Einzelheiten kopieren</translation>
    </message>
</context>
<context>
    <name>ErrorSentences</name>
    <message>
        <source>Only a model on this computer can do that.</source>
        <translation>Das kann nur ein Modell auf diesem Rechner.</translation>
    </message>
    <message>
        <source>The connection to %1 broke.</source>
        <translation>Die Verbindung zu %1 ist abgerissen.</translation>
    </message>
    <message>
        <source>%1 cannot be reached.</source>
        <translation>%1 ist nicht zu erreichen.</translation>
    </message>
    <message>
        <source>The bridge to other computers is of another version of Inglenook. Start it again.</source>
        <translation>Die Brücke zu anderen Rechnern gehört zu einer anderen Version von Inglenook. Starten Sie sie neu.</translation>
    </message>
    <message>
        <source>The bridge to other computers ended in the middle of this.</source>
        <translation>Die Brücke zu anderen Rechnern hat sich mittendrin beendet.</translation>
    </message>
    <message>
        <source>The bridge to other computers is not running. Start it, and try again.</source>
        <translation>Die Brücke zu anderen Rechnern läuft nicht. Starten Sie sie, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>The engine stopped three times while writing this answer.</source>
        <translation>Die Engine ist beim Schreiben dieser Antwort dreimal stehen geblieben.</translation>
    </message>
    <message>
        <source>The engine stopped three times while loading this model.</source>
        <translation>Die Engine ist beim Laden dieses Modells dreimal stehen geblieben.</translation>
    </message>
    <message>
        <source>The engine stopped three times while looking at this file.</source>
        <translation>Die Engine ist beim Prüfen dieser Datei dreimal stehen geblieben.</translation>
    </message>
    <message>
        <source>The engine stopped three times.</source>
        <translation>Die Engine ist dreimal stehen geblieben.</translation>
    </message>
    <message>
        <source>%1 was not found. It may have been moved, or its disk is not connected.</source>
        <translation>%1 wurde nicht gefunden. Vielleicht wurde die Datei verschoben, oder ihr Datenträger ist nicht angeschlossen.</translation>
    </message>
    <message>
        <source>%1 may not be read: its permissions forbid it.</source>
        <translation>%1 darf nicht gelesen werden: Die Zugriffsrechte erlauben es nicht.</translation>
    </message>
    <message>
        <source>%1 cannot be read.</source>
        <translation>%1 kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>%1 is empty. Its download may not have begun.</source>
        <translation>%1 ist leer. Vielleicht hat der Download noch nicht begonnen.</translation>
    </message>
    <message>
        <source>%1 is not a model that Inglenook can open.</source>
        <translation>%1 ist kein Modell, das Inglenook öffnen kann.</translation>
    </message>
    <message>
        <source>%1 only points to a model; the model itself was not downloaded.</source>
        <translation>%1 verweist nur auf ein Modell; das Modell selbst wurde nicht heruntergeladen.</translation>
    </message>
    <message>
        <source>The download is incomplete: %1.</source>
        <translation>Der Download ist unvollständig: %1.</translation>
    </message>
    <message>
        <source>The download is incomplete: the file ends after %1.</source>
        <translation>Der Download ist unvollständig: Die Datei endet nach %1.</translation>
    </message>
    <message>
        <source>%1 is damaged. Downloading it again may help.</source>
        <translation>%1 ist beschädigt. Vielleicht hilft es, die Datei noch einmal herunterzuladen.</translation>
    </message>
    <message>
        <source>%1 needs something that this version of Inglenook cannot do.</source>
        <translation>%1 braucht etwas, das diese Version von Inglenook nicht kann.</translation>
    </message>
    <message>
        <source>This is a %1 file of version %2, which this version of Inglenook does not know.</source>
        <translation>Das ist eine %1-Datei der Version %2, die diese Version von Inglenook nicht kennt.</translation>
    </message>
    <message>
        <source>Inglenook does not know models of the family “%1” yet.</source>
        <translation>Inglenook kennt Modelle der Familie „%1“ noch nicht.</translation>
    </message>
    <message>
        <source>The numbers of this model are stored in a way that Inglenook does not know (%1).</source>
        <translation>Die Zahlen dieses Modells sind auf eine Weise gespeichert, die Inglenook nicht kennt (%1).</translation>
    </message>
    <message>
        <source>Inglenook does not know this model&apos;s tokenizer (%1).</source>
        <translation>Inglenook kennt den Tokenizer dieses Modells nicht (%1).</translation>
    </message>
    <message>
        <source>This file has no tokenizer, so it cannot chat.</source>
        <translation>Diese Datei hat keinen Tokenizer und kann darum nicht chatten.</translation>
    </message>
    <message>
        <source>This model compares texts and writes none, so it cannot chat.</source>
        <translation>Dieses Modell vergleicht Texte und schreibt keine; darum kann es nicht chatten.</translation>
    </message>
    <message>
        <source>This model scores how well texts answer a question and writes none, so it cannot chat.</source>
        <translation>Dieses Modell bewertet, wie gut Texte eine Frage beantworten, und schreibt keine; chatten kann es deshalb nicht.</translation>
    </message>
    <message>
        <source>%1 needs %2 of memory; %3 are free.</source>
        <translation>%1 braucht %2 Speicher; %3 sind frei.</translation>
    </message>
    <message>
        <source>This model needs %2 of memory on %1; %3 are free there.</source>
        <translation>Dieses Modell braucht %2 Speicher auf %1; dort sind %3 frei.</translation>
    </message>
    <message>
        <source>There is not enough memory.</source>
        <translation>Der Speicher reicht nicht.</translation>
    </message>
    <message>
        <source>The graphics device failed.</source>
        <translation>Das Grafikgerät ist ausgefallen.</translation>
    </message>
    <message>
        <source>The model&apos;s file was changed while it was in use.</source>
        <translation>Die Datei des Modells wurde geändert, während es benutzt wurde.</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>Es ist kein Modell geladen.</translation>
    </message>
    <message>
        <source>The message is too long for this model: it takes %1 tokens, and there is room for %2.</source>
        <translation>Die Nachricht ist zu lang für dieses Modell: Sie braucht %1 Token, und es ist Platz für %2.</translation>
    </message>
    <message>
        <source>A part of Inglenook is missing. Please install it again.</source>
        <translation>Ein Teil von Inglenook fehlt. Bitte installiere es noch einmal.</translation>
    </message>
    <message>
        <source>Inglenook was updated while it was open. Please close it and open it again.</source>
        <translation>Inglenook wurde aktualisiert, während es offen war. Bitte schließe es und öffne es wieder.</translation>
    </message>
    <message>
        <source>The history is damaged.</source>
        <translation>Der Verlauf ist beschädigt.</translation>
    </message>
    <message>
        <source>The history was written by a newer Inglenook; it can be read but not changed.</source>
        <translation>Der Verlauf stammt von einem neueren Inglenook; er kann gelesen, aber nicht geändert werden.</translation>
    </message>
    <message>
        <source>Nothing can be kept: %1 cannot be written.</source>
        <translation>Nichts kann aufbewahrt werden: %1 ist nicht beschreibbar.</translation>
    </message>
    <message>
        <source>The history needs %1 of room on its disk; %2 are free.</source>
        <translation>Der Verlauf braucht %1 Platz auf seinem Datenträger; %2 sind frei.</translation>
    </message>
    <message>
        <source>The history cannot be read or written now.</source>
        <translation>Der Verlauf kann gerade weder gelesen noch geschrieben werden.</translation>
    </message>
    <message>
        <source>The disk is full, so nothing more can be kept.</source>
        <translation>Der Datenträger ist voll; nichts Weiteres kann aufbewahrt werden.</translation>
    </message>
    <message>
        <source>The form that was asked for the answer cannot be used: %1.</source>
        <translation>Die verlangte Form der Antwort kann nicht benutzt werden: %1.</translation>
    </message>
    <message>
        <source>The form that was asked for the answer leaves too many ways to go on.</source>
        <translation>Die verlangte Form der Antwort lässt zu viele Wege offen.</translation>
    </message>
    <message>
        <source>A picture of this conversation is missing, so the model cannot see it.</source>
        <translation>Ein Bild dieser Unterhaltung fehlt; das Modell kann es nicht sehen.</translation>
    </message>
    <message>
        <source>%1 cannot see pictures: it has no vision file beside it.</source>
        <translation>%1 kann keine Bilder sehen: Es liegt keine Bilddatei (mmproj) dabei.</translation>
    </message>
    <message>
        <source>%1 is the vision file of another model.</source>
        <translation>%1 ist die Bilddatei (mmproj) eines anderen Modells.</translation>
    </message>
    <message>
        <source>This picture is damaged and cannot be read.</source>
        <translation>Dieses Bild ist beschädigt und kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>This picture has too many pixels: 100 million can be read.</source>
        <translation>Dieses Bild hat zu viele Pixel: 100 Millionen können gelesen werden.</translation>
    </message>
    <message>
        <source>This file is too large to be read as a picture: 64 MB can be read.</source>
        <translation>Diese Datei ist zu groß, um als Bild gelesen zu werden: 64 MB sind möglich.</translation>
    </message>
    <message>
        <source>This picture is too long and narrow for the model.</source>
        <translation>Dieses Bild ist zu lang und schmal für das Modell.</translation>
    </message>
    <message>
        <source>This is a picture in the format HEIC, which cannot be read. Save it as JPEG or PNG.</source>
        <translation>Dieses Bild hat das Format HEIC, das nicht gelesen werden kann. Speichern Sie es als JPEG oder PNG.</translation>
    </message>
    <message>
        <source>This is a picture in the format AVIF, which cannot be read. Save it as JPEG or PNG.</source>
        <translation>Dieses Bild hat das Format AVIF, das nicht gelesen werden kann. Speichern Sie es als JPEG oder PNG.</translation>
    </message>
    <message>
        <source>This is no picture of a kind that can be read: those are PNG, JPEG and WebP.</source>
        <translation>Das ist kein Bild, das gelesen werden kann: Das sind PNG, JPEG und WebP.</translation>
    </message>
    <message>
        <source>Reading this picture failed: it is damaged, or larger than the memory for it.</source>
        <translation>Dieses Bild konnte nicht gelesen werden: Es ist beschädigt oder größer als der Speicher dafür.</translation>
    </message>
    <message>
        <source>It was cancelled.</source>
        <translation>Es wurde abgebrochen.</translation>
    </message>
    <message>
        <source>The engine stopped three times while making this model smaller.</source>
        <translation>Die Engine ist beim Verkleinern dieses Modells dreimal stehen geblieben.</translation>
    </message>
    <message>
        <source>%1 is a web page, not the model. Its page may ask to sign in first.</source>
        <translation>%1 ist eine Webseite, nicht das Modell. Vielleicht verlangt die Seite erst eine Anmeldung.</translation>
    </message>
    <message>
        <source>%1 is an archive. Unpack it, and open what is in it.</source>
        <translation>%1 ist ein Archiv. Entpacken Sie es und öffnen Sie, was darin ist.</translation>
    </message>
    <message>
        <source>%1 is a model for other programs (%2). Get the same model as GGUF instead.</source>
        <translation>%1 ist ein Modell für andere Programme (%2). Nehmen Sie dasselbe Modell als GGUF.</translation>
    </message>
    <message>
        <source>%1 is a LoRA adapter: it changes a model and is none itself. Get the whole model instead.</source>
        <translation>%1 ist ein LoRA-Adapter: Er verändert ein Modell und ist selbst keines. Nehmen Sie das ganze Modell.</translation>
    </message>
    <message>
        <source>%1 is what lets a model see, not the model. Open the model&apos;s own file.</source>
        <translation>%1 ist das, womit ein Modell sieht, nicht das Modell. Öffnen Sie die Datei des Modells selbst.</translation>
    </message>
    <message>
        <source>%1 is a control vector: it steers a model and is none itself. Open the model&apos;s own file.</source>
        <translation>%1 ist ein Steuervektor: Er lenkt ein Modell und ist selbst keines. Öffnen Sie die Datei des Modells selbst.</translation>
    </message>
    <message>
        <source>%1 is an importance matrix: it helps to make a model smaller and is none itself. Open the model&apos;s own file.</source>
        <translation>%1 ist eine Wichtigkeitsmatrix: Sie hilft, ein Modell zu verkleinern, und ist selbst keines. Öffnen Sie die Datei des Modells selbst.</translation>
    </message>
    <message>
        <source>%1 holds a vocabulary only. Open the model&apos;s own file.</source>
        <translation>%1 enthält nur einen Wortschatz. Öffnen Sie die Datei des Modells selbst.</translation>
    </message>
    <message>
        <source>%1 predicts words for another model and writes none by itself. Open that model&apos;s own file.</source>
        <translation>%1 sagt Wörter für ein anderes Modell voraus und schreibt selbst keine. Öffnen Sie die Datei dieses Modells.</translation>
    </message>
    <message>
        <source>%1 makes pictures or films. Programs for these run it; here runs a model that writes.</source>
        <translation>%1 macht Bilder oder Filme. Programme dafür führen es aus; hier läuft ein Modell, das schreibt.</translation>
    </message>
    <message>
        <source>%1 speaks or hears. Programs for sound run it; here runs a model that writes.</source>
        <translation>%1 spricht oder hört. Programme für Ton führen es aus; hier läuft ein Modell, das schreibt.</translation>
    </message>
    <message>
        <source>%1 finds things in pictures and writes nothing. Here runs a model that writes.</source>
        <translation>%1 findet Dinge in Bildern und schreibt nichts. Hier läuft ein Modell, das schreibt.</translation>
    </message>
    <message>
        <source>%1 writes all words at once, which Inglenook cannot do yet. A model that writes word by word runs here.</source>
        <translation>%1 schreibt alle Wörter auf einmal, was Inglenook noch nicht kann. Ein Modell, das Wort für Wort schreibt, läuft hier.</translation>
    </message>
    <message>
        <source>%1 is an encoder: it writes nothing, and Inglenook cannot run it yet. Here runs a model that writes.</source>
        <translation>%1 ist ein Encoder: Er schreibt nichts, und Inglenook kann ihn noch nicht ausführen. Hier läuft ein Modell, das schreibt.</translation>
    </message>
    <message>
        <source>%1 has an encoder and a decoder, which Inglenook cannot run yet. A model that only has a decoder, such as Qwen or Gemma, runs here.</source>
        <translation>%1 hat einen Encoder und einen Decoder, was Inglenook noch nicht ausführen kann. Ein Modell, das nur einen Decoder hat, etwa Qwen oder Gemma, läuft hier.</translation>
    </message>
    <message>
        <source>%1 leads to a file outside its folder, so it is not opened.</source>
        <translation>%1 führt zu einer Datei außerhalb seines Ordners und wird deshalb nicht geöffnet.</translation>
    </message>
    <message numerus="yes">
        <source>There are %n models in %1. Open one of them.</source>
        <translation>
            <numerusform>In %1 ist %n Modell. Öffnen Sie es.</numerusform>
            <numerusform>In %1 sind %n Modelle. Öffnen Sie eines davon.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 holds the numbers of a model; the files that say which are not beside it. Get the whole folder.</source>
        <translation>%1 enthält die Zahlen eines Modells; die Dateien, die sagen, welches es ist, liegen nicht daneben. Nehmen Sie den ganzen Ordner.</translation>
    </message>
    <message>
        <source>%1 of the %2 parts of this model are missing. Get the whole folder.</source>
        <translation>%1 der %2 Teile dieses Modells fehlen. Nehmen Sie den ganzen Ordner.</translation>
    </message>
    <message>
        <source>%1 is still being downloaded, or its download was stopped. Open it once it is whole.</source>
        <translation>%1 wird noch heruntergeladen, oder das wurde abgebrochen. Öffnen Sie es, wenn es vollständig ist.</translation>
    </message>
    <message>
        <source>The smaller model needs %1 of room on its disk; %2 are free.</source>
        <translation>Das kleinere Modell braucht %1 Platz auf seinem Datenträger; %2 sind frei.</translation>
    </message>
    <message>
        <source>This file holds a program beside its numbers. Inglenook never runs such a thing and does not open it.</source>
        <translation>Diese Datei enthält neben ihren Zahlen ein Programm. So etwas führt Inglenook nie aus und öffnet es nicht.</translation>
    </message>
    <message>
        <source>This conversation has outgrown the model&apos;s context: it takes %1 tokens, and there is room for %2. In the settings of the chat you can let the oldest messages go.</source>
        <translation>Dieses Gespräch ist länger geworden als der Kontext des Modells: Es braucht %1 Token, und Platz ist für %2. In den Einstellungen des Gesprächs können Sie die ältesten Nachrichten gehen lassen.</translation>
    </message>
    <message>
        <source>%1 cannot predict for this model: it needs the same vocabulary.</source>
        <translation>%1 kann für dieses Modell nicht vorhersagen: Es braucht dasselbe Vokabular.</translation>
    </message>
</context>
<context>
    <name>Exchange</name>
    <message>
        <source>One picture</source>
        <translation>Ein Bild</translation>
    </message>
    <message>
        <source>%1 pictures</source>
        <translation>%1 Bilder</translation>
    </message>
    <message>
        <source>The content of one attached file</source>
        <translation>Der Inhalt einer angehängten Datei</translation>
    </message>
    <message>
        <source>The contents of %1 attached files</source>
        <translation>Die Inhalte von %1 angehängten Dateien</translation>
    </message>
    <message>
        <source>One recording</source>
        <translation>Eine Aufnahme</translation>
    </message>
    <message>
        <source>%1 recordings</source>
        <translation>%1 Aufnahmen</translation>
    </message>
    <message>
        <source>One part of a message, of a kind that is not known</source>
        <translation>Ein Teil einer Nachricht von unbekannter Art</translation>
    </message>
    <message>
        <source>%1 parts of messages, of kinds that are not known</source>
        <translation>%1 Teile von Nachrichten von unbekannter Art</translation>
    </message>
    <message>
        <source>One message that nobody known has written</source>
        <translation>Eine Nachricht, von der man nicht weiß, wer sie geschrieben hat</translation>
    </message>
    <message>
        <source>%1 messages that nobody known has written</source>
        <translation>%1 Nachrichten, von denen man nicht weiß, wer sie geschrieben hat</translation>
    </message>
    <message>
        <source>One message that was never shown</source>
        <translation>Eine Nachricht, die nie gezeigt wurde</translation>
    </message>
    <message>
        <source>%1 messages that were never shown</source>
        <translation>%1 Nachrichten, die nie gezeigt wurden</translation>
    </message>
    <message>
        <source>One message that belongs to no branch</source>
        <translation>Eine Nachricht, die zu keinem Zweig gehört</translation>
    </message>
    <message>
        <source>%1 messages that belong to no branch</source>
        <translation>%1 Nachrichten, die zu keinem Zweig gehören</translation>
    </message>
    <message>
        <source>One chat without messages</source>
        <translation>Ein Gespräch ohne Nachrichten</translation>
    </message>
    <message>
        <source>%1 chats without messages</source>
        <translation>%1 Gespräche ohne Nachrichten</translation>
    </message>
    <message>
        <source>One chat that could not be read</source>
        <translation>Ein Gespräch, das nicht zu lesen war</translation>
    </message>
    <message>
        <source>%1 chats that could not be read</source>
        <translation>%1 Gespräche, die nicht zu lesen waren</translation>
    </message>
    <message>
        <source>The rating of one answer</source>
        <translation>Die Bewertung einer Antwort</translation>
    </message>
    <message>
        <source>The ratings of %1 answers</source>
        <translation>Die Bewertungen von %1 Antworten</translation>
    </message>
    <message>
        <source>one chat</source>
        <translation>ein Gespräch</translation>
    </message>
    <message>
        <source>%1 chats</source>
        <translation>%1 Gespräche</translation>
    </message>
    <message>
        <source>one message</source>
        <translation>einer Nachricht</translation>
    </message>
    <message>
        <source>%1 messages</source>
        <translation>%1 Nachrichten</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
</context>
<context>
    <name>ExportCard</name>
    <message>
        <source>Conversations</source>
        <translation>Gespräche</translation>
    </message>
    <message>
        <source>Export conversations</source>
        <translation>Gespräche ausgeben</translation>
    </message>
    <message>
        <source>Export the conversation</source>
        <translation>Das Gespräch ausgeben</translation>
    </message>
    <message>
        <source>All conversations</source>
        <translation>Alle Gespräche</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern…</translation>
    </message>
    <message>
        <source>Save export as</source>
        <translation>Export speichern unter</translation>
    </message>
</context>
<context>
    <name>FieldsCard</name>
    <message>
        <source>Fill in</source>
        <translation>Ausfüllen</translation>
    </message>
    <message>
        <source>Insert</source>
        <translation>Einfügen</translation>
    </message>
</context>
<context>
    <name>FilterRow</name>
    <message>
        <source>Any time</source>
        <translation>Jederzeit</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
    <message>
        <source>Last 12 months</source>
        <translation>Letzte 12 Monate</translation>
    </message>
    <message>
        <source>By anyone</source>
        <translation>Von allen</translation>
    </message>
    <message>
        <source>What I wrote</source>
        <translation>Was ich schrieb</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Any model</source>
        <translation>Alle Modelle</translation>
    </message>
    <message>
        <source>Any folder</source>
        <translation>Alle Ordner</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in this conversation</source>
        <translation>In diesem Gespräch suchen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>FitCard</name>
    <message>
        <source>Load anyway (may be very slow)</source>
        <translation>Trotzdem laden (kann sehr langsam sein)</translation>
    </message>
    <message>
        <source>Not enough memory is free</source>
        <translation>Zu wenig Speicher ist frei</translation>
    </message>
</context>
<context>
    <name>Folded</name>
    <message>
        <source>Hide: %1</source>
        <translation>Verbergen: %1</translation>
    </message>
    <message>
        <source>Show: %1</source>
        <translation>Zeigen: %1</translation>
    </message>
</context>
<context>
    <name>FolderMenu</name>
    <message>
        <source>New folder…</source>
        <translation>Neuer Ordner …</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>Neuer Ordner</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>Kein Ordner</translation>
    </message>
</context>
<context>
    <name>FolderRow</name>
    <message>
        <source>%1, %2 conversations, %3</source>
        <translation>%1, %2 Gespräche, %3</translation>
    </message>
    <message>
        <source>open</source>
        <translation>offen</translation>
    </message>
    <message>
        <source>closed</source>
        <translation>geschlossen</translation>
    </message>
    <message>
        <source>Name of the folder</source>
        <translation>Name des Ordners</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>Weitere Aktionen</translation>
    </message>
</context>
<context>
    <name>ForgottenRow</name>
    <message>
        <source>The model no longer sees the messages above</source>
        <translation>Das Modell sieht die Nachrichten darüber nicht mehr</translation>
    </message>
</context>
<context>
    <name>HelpPage</name>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Search the help</source>
        <translation>Hilfe durchsuchen</translation>
    </message>
    <message>
        <source>Nothing found. Perhaps the guide knows: ask it in a conversation.</source>
        <translation>Nichts gefunden. Vielleicht weiß es der Lotse: Fragen Sie ihn in einem Gespräch.</translation>
    </message>
</context>
<context>
    <name>ImportCard</name>
    <message>
        <source>Hide what does not come along</source>
        <translation>Was nicht mitkommt, ausblenden</translation>
    </message>
    <message>
        <source>What does not come along</source>
        <translation>Was nicht mitkommt</translation>
    </message>
    <message>
        <source>They are put beside your own; Ctrl+Z takes them back.</source>
        <translation>Sie kommen zu Ihren eigenen; Strg+Z nimmt sie zurück.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Import chats</source>
        <translation>Chats importieren</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
</context>
<context>
    <name>ImportDialogs</name>
    <message>
        <source>Chats of another program, or an export of Inglenook</source>
        <translation>Gespräche eines anderen Programms oder eine Ausgabe von Inglenook</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Chats (*.json *.chat *.db *.sqlite)</source>
        <translation>Gespräche (*.json *.chat *.db *.sqlite)</translation>
    </message>
    <message>
        <source>The folder that a program keeps chats in</source>
        <translation>Der Ordner, in dem ein Programm Gespräche aufhebt</translation>
    </message>
</context>
<context>
    <name>Keys</name>
    <message>
        <source>Ctrl</source>
        <translation>Strg</translation>
    </message>
    <message>
        <source>Shift</source>
        <translation>Umschalt</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Backspace</source>
        <translation>Rücktaste</translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
</context>
<context>
    <name>Main</name>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Models (*.gguf *.bin *.flm *.safetensors *.pth *.json)</source>
        <translation>Modelle (*.gguf *.bin *.flm *.safetensors *.pth *.json)</translation>
    </message>
    <message>
        <source>Private chat</source>
        <translation>Privates Gespräch</translation>
    </message>
    <message>
        <source>Open a model or a document</source>
        <translation>Modell oder Dokument öffnen</translation>
    </message>
    <message>
        <source>Documents (*.txt *.md *.html *.pdf *.docx *.odt)</source>
        <translation>Dokumente (*.txt *.md *.html *.pdf *.docx *.odt)</translation>
    </message>
    <message>
        <source>Add pictures or documents</source>
        <translation>Bilder oder Dokumente hinzufügen</translation>
    </message>
    <message>
        <source>Pictures and documents (*.png *.jpg *.jpeg *.webp *.txt *.md *.html *.pdf *.docx *.odt)</source>
        <translation>Bilder und Dokumente (*.png *.jpg *.jpeg *.webp *.txt *.md *.html *.pdf *.docx *.odt)</translation>
    </message>
</context>
<context>
    <name>ModelButton</name>
    <message>
        <source>Model: %1</source>
        <translation>Modell: %1</translation>
    </message>
</context>
<context>
    <name>ModelDetails</name>
    <message>
        <source>All models</source>
        <translation>Alle Modelle</translation>
    </message>
    <message>
        <source>Use this model</source>
        <translation>Dieses Modell verwenden</translation>
    </message>
    <message>
        <source>Copy the path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>Aus der Liste entfernen</translation>
    </message>
    <message>
        <source>The file stays.</source>
        <translation>Die Datei bleibt.</translation>
    </message>
    <message>
        <source>Removing a model from the list leaves its file where it is.</source>
        <translation>Die Datei eines entfernten Modells bleibt, wo sie ist.</translation>
    </message>
    <message>
        <source>Choose a model to see what is known of it.</source>
        <translation>Wählen Sie ein Modell, um mehr darüber zu erfahren.</translation>
    </message>
    <message>
        <source>Files by which it could see pictures</source>
        <translation>Dateien, mit denen es Bilder sehen könnte</translation>
    </message>
    <message>
        <source>See pictures by %1</source>
        <translation>Bilder mit %1 sehen</translation>
    </message>
</context>
<context>
    <name>ModelList</name>
    <message>
        <source>Your models</source>
        <translation>Ihre Modelle</translation>
    </message>
</context>
<context>
    <name>ModelMenu</name>
    <message>
        <source>Answer again with</source>
        <translation>Noch einmal antworten mit</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Filter the models</source>
        <translation>Modelle filtern</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filtern</translation>
    </message>
    <message>
        <source>Your models</source>
        <translation>Ihre Modelle</translation>
    </message>
    <message>
        <source>All models…</source>
        <translation>Alle Modelle…</translation>
    </message>
</context>
<context>
    <name>ModelOfferRow</name>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>%1 öffnen</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Download %1 in the browser</source>
        <translation>%1 im Browser herunterladen</translation>
    </message>
    <message>
        <source>Stop waiting</source>
        <translation>Nicht mehr warten</translation>
    </message>
    <message>
        <source>Waiting for %1 in your downloads. It is opened as soon as it is whole.</source>
        <translation>Warte auf %1 in Ihren Downloads. Die Datei wird geöffnet, sobald sie vollständig ist.</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Copy the address of the file</source>
        <translation>Adresse der Datei kopieren</translation>
    </message>
    <message>
        <source>Open the model&apos;s page in the browser</source>
        <translation>Seite des Modells im Browser öffnen</translation>
    </message>
</context>
<context>
    <name>ModelRow</name>
    <message>
        <source>Use</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>%1 verwenden</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Filter the models</source>
        <translation>Modelle filtern</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filtern</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>Datei öffnen…</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Show how far it is</source>
        <translation>Zeigen, wie weit es ist</translation>
    </message>
    <message>
        <source>A model is a file. Drop one anywhere on this window, open one, or get one below.</source>
        <translation>Ein Modell ist eine Datei. Ziehen Sie eine auf dieses Fenster, öffnen Sie eine, oder laden Sie unten eine herunter.</translation>
    </message>
</context>
<context>
    <name>NumberField</name>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
</context>
<context>
    <name>OfferList</name>
    <message>
        <source>Models that could be used</source>
        <translation>Modelle, die benutzt werden könnten</translation>
    </message>
</context>
<context>
    <name>Page</name>
    <message>
        <source>Back to the chat (Esc)</source>
        <translation>Zurück zum Chat (Esc)</translation>
    </message>
</context>
<context>
    <name>PaletteCard</name>
    <message>
        <source>All actions</source>
        <translation>Alle Aktionen</translation>
    </message>
    <message>
        <source>Search the actions</source>
        <translation>Aktionen durchsuchen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
</context>
<context>
    <name>PicturePage</name>
    <message>
        <source>Previous picture</source>
        <translation>Vorheriges Bild</translation>
    </message>
    <message>
        <source>Next picture</source>
        <translation>Nächstes Bild</translation>
    </message>
    <message>
        <source>Save the picture as…</source>
        <translation>Bild speichern unter…</translation>
    </message>
    <message>
        <source>Save the picture</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>Opening the picture…</source>
        <translation>Bild wird geöffnet…</translation>
    </message>
    <message>
        <source>What it shows, for the search and for screen readers</source>
        <translation>Was es zeigt, für die Suche und für Bildschirmleser</translation>
    </message>
</context>
<context>
    <name>PictureTile</name>
    <message>
        <source>Picture: %1</source>
        <translation>Bild: %1</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
</context>
<context>
    <name>PlaceRow</name>
    <message>
        <source>Copy the path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
</context>
<context>
    <name>PrivateBar</name>
    <message>
        <source>Nothing of this chat is written to this computer&apos;s disk. What you send to another computer is in its hands.</source>
        <translation>Nichts aus diesem Gespräch wird auf die Festplatte dieses Computers geschrieben. Was Sie an einen anderen Rechner senden, liegt in dessen Händen.</translation>
    </message>
    <message>
        <source>Nothing of this chat is written to the disk. When you close it, it is gone.</source>
        <translation>Nichts von diesem Gespräch kommt auf die Festplatte. Wenn Sie es schließen, ist es weg.</translation>
    </message>
</context>
<context>
    <name>ProfileCard</name>
    <message>
        <source>set here</source>
        <translation>hier gesetzt</translation>
    </message>
    <message>
        <source>Begin with the model&apos;s own</source>
        <translation>Mit der des Modells beginnen</translation>
    </message>
    <message>
        <source>What the model would see of a short chat:</source>
        <translation>Was das Modell von einem kurzen Gespräch sähe:</translation>
    </message>
    <message>
        <source>Applies to new answers. Empty fields inherit the value shown in grey.</source>
        <translation>Gilt für neue Antworten. Leere Felder übernehmen den grau gezeigten Wert.</translation>
    </message>
</context>
<context>
    <name>ProfileEditor</name>
    <message>
        <source>Stop and ask</source>
        <translation>Anhalten und fragen</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>Frei</translation>
    </message>
    <message>
        <source>JSON Schema</source>
        <translation>JSON Schema</translation>
    </message>
    <message>
        <source>Grammar (GBNF)</source>
        <translation>Grammatik (GBNF)</translation>
    </message>
    <message>
        <source>Instructions before the conversation</source>
        <translation>Anweisungen vor dem Gespräch</translation>
    </message>
    <message>
        <source>When the conversation is longer than the model&apos;s context</source>
        <translation>Wenn das Gespräch länger ist als der Kontext des Modells</translation>
    </message>
    <message>
        <source>Form of answers</source>
        <translation>Form der Antworten</translation>
    </message>
    <message>
        <source>Schema or grammar</source>
        <translation>Schema oder Grammatik</translation>
    </message>
    <message>
        <source>No instructions</source>
        <translation>Keine Anweisungen</translation>
    </message>
    <message>
        <source>As the model likes</source>
        <translation>Wie das Modell es will</translation>
    </message>
    <message>
        <source>Think first</source>
        <translation>Erst nachdenken</translation>
    </message>
    <message>
        <source>Answer at once</source>
        <translation>Sofort antworten</translation>
    </message>
    <message>
        <source>Thoughts before the answer</source>
        <translation>Gedanken vor der Antwort</translation>
    </message>
    <message>
        <source>Chat template (Jinja), in place of the model&apos;s own</source>
        <translation>Gesprächsvorlage (Jinja) statt der des Modells</translation>
    </message>
    <message>
        <source>The model&apos;s own</source>
        <translation>Die des Modells</translation>
    </message>
    <message>
        <source>Drop the oldest messages</source>
        <translation>Die ältesten Nachrichten weglassen</translation>
    </message>
    <message>
        <source>Maximum answer length (tokens; 0 = no limit)</source>
        <translation>Höchstlänge einer Antwort (Token; 0 = keine Grenze)</translation>
    </message>
    <message>
        <source>Context (tokens; 0 = as much as the model has)</source>
        <translation>Kontext (Token; 0 = so viel, wie das Modell hat)</translation>
    </message>
    <message>
        <source>Temperature (0 = always the likeliest word)</source>
        <translation>Temperatur (0 = immer das wahrscheinlichste Wort)</translation>
    </message>
    <message>
        <source>Top-k: choose among so many of the likeliest words (0 = all)</source>
        <translation>Top-k: aus so vielen der wahrscheinlichsten Wörter wählen (0 = alle)</translation>
    </message>
    <message>
        <source>Top-p: choose among words that together have this probability</source>
        <translation>Top-p: aus Wörtern wählen, die zusammen diese Wahrscheinlichkeit haben</translation>
    </message>
    <message>
        <source>Min-p: leave out words less likely than this share of the likeliest</source>
        <translation>Min-p: Wörter weglassen, die unwahrscheinlicher sind als dieser Anteil des wahrscheinlichsten</translation>
    </message>
    <message>
        <source>Repeat penalty (1 = none)</source>
        <translation>Strafe für Wiederholungen (1 = keine)</translation>
    </message>
</context>
<context>
    <name>PromptCard</name>
    <message>
        <source>What the model sees</source>
        <translation>Was das Modell sieht</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>The exact prompt</source>
        <translation>Der genaue Text</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Unpin from context</source>
        <translation>Aus dem Kontext lösen</translation>
    </message>
    <message>
        <source>Pin in context</source>
        <translation>Im Kontext anheften</translation>
    </message>
</context>
<context>
    <name>PromptMenu</name>
    <message>
        <source>Your prompts</source>
        <translation>Ihre Vorlagen</translation>
    </message>
    <message>
        <source>Your prompts…</source>
        <translation>Ihre Vorlagen…</translation>
    </message>
</context>
<context>
    <name>PromptsPage</name>
    <message>
        <source>Your prompts</source>
        <translation>Ihre Vorlagen</translation>
    </message>
    <message>
        <source>New prompt</source>
        <translation>Neue Vorlage</translation>
    </message>
    <message>
        <source>Words in {braces} become fields you fill in.</source>
        <translation>Wörter in {geschweiften Klammern} werden zu Feldern, die Sie ausfüllen.</translation>
    </message>
    <message>
        <source>Type / in an empty message to insert a prompt.</source>
        <translation>Tippen Sie / in eine leere Nachricht, um eine Vorlage einzufügen.</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>%1 ändern</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>%1 löschen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Text of the prompt</source>
        <translation>Text der Vorlage</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
</context>
<context>
    <name>QuestionBlock</name>
    <message>
        <source>Your message</source>
        <translation>Ihre Nachricht</translation>
    </message>
</context>
<context>
    <name>QuotesCard</name>
    <message>
        <source>Quotes</source>
        <translation>Zitate</translation>
    </message>
    <message>
        <source>In none of the documents</source>
        <translation>In keinem der Dokumente</translation>
    </message>
</context>
<context>
    <name>ReadBar</name>
    <message>
        <source>%1 % read</source>
        <translation>%1 % gelesen</translation>
    </message>
</context>
<context>
    <name>SaveDialog</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>in %1</source>
        <translation>in %1</translation>
    </message>
    <message>
        <source>The folder around it</source>
        <translation>Der übergeordnete Ordner</translation>
    </message>
    <message>
        <source>Folders and files</source>
        <translation>Ordner und Dateien</translation>
    </message>
    <message>
        <source>Folder %1</source>
        <translation>Ordner %1</translation>
    </message>
    <message>
        <source>There is a file %1 here already. Replace it?</source>
        <translation>Eine Datei %1 gibt es hier schon. Ersetzen?</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Choose another name</source>
        <translation>Anderen Namen wählen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Save the code</source>
        <translation>Code speichern</translation>
    </message>
</context>
<context>
    <name>SelectionBar</name>
    <message numerus="yes">
        <source>%n selected</source>
        <translation>
            <numerusform>%n ausgewählt</numerusform>
            <numerusform>%n ausgewählt</numerusform>
        </translation>
    </message>
    <message>
        <source>Move to a folder</source>
        <translation>In einen Ordner legen</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archivieren</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Select none</source>
        <translation>Nichts auswählen</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Look and language</source>
        <translation>Aussehen und Sprache</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Text size (%)</source>
        <translation>Textgröße (%)</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Instructions before every conversation</source>
        <translation>Anweisungen vor jedem Gespräch</translation>
    </message>
    <message>
        <source>The model reads them first, for example: “Answer briefly and in German.”</source>
        <translation>Das Modell liest sie zuerst, zum Beispiel: „Antworte kurz und auf Deutsch.“</translation>
    </message>
    <message>
        <source>Maximum answer length (tokens; 0 = no limit)</source>
        <translation>Höchstlänge einer Antwort (Token; 0 = keine Grenze)</translation>
    </message>
    <message>
        <source>When a conversation is longer than the model&apos;s context</source>
        <translation>Wenn ein Gespräch länger ist als der Kontext des Modells</translation>
    </message>
    <message>
        <source>Drop the oldest messages</source>
        <translation>Die ältesten Nachrichten weglassen</translation>
    </message>
    <message>
        <source>Stop and ask</source>
        <translation>Anhalten und fragen</translation>
    </message>
    <message>
        <source>When a long answer ends while you do something else</source>
        <translation>Wenn eine lange Antwort endet, während Sie etwas anderes tun</translation>
    </message>
    <message>
        <source>Notify me</source>
        <translation>Benachrichtigen</translation>
    </message>
    <message>
        <source>Don&apos;t notify</source>
        <translation>Nicht benachrichtigen</translation>
    </message>
    <message>
        <source>How words are chosen</source>
        <translation>Wie Wörter gewählt werden</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Higher is more varied; 0 always takes the likeliest word.</source>
        <translation>Höher ist abwechslungsreicher; 0 nimmt immer das wahrscheinlichste Wort.</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Choose among so many of the likeliest words; 0 = all.</source>
        <translation>Aus so vielen der wahrscheinlichsten Wörter wählen; 0 = alle.</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Choose among the likeliest words that together have this probability.</source>
        <translation>Aus den wahrscheinlichsten Wörtern wählen, die zusammen diese Wahrscheinlichkeit haben.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>The same seed gives the same answer again. Empty: a new one for every answer.</source>
        <translation>Derselbe Startwert ergibt wieder dieselbe Antwort. Leer: für jede Antwort ein neuer.</translation>
    </message>
    <message>
        <source>Models and speed</source>
        <translation>Modelle und Geschwindigkeit</translation>
    </message>
    <message>
        <source>Device that computes</source>
        <translation>Gerät, das rechnet</translation>
    </message>
    <message>
        <source>Speed up answers by predicting ahead (results stay the same)</source>
        <translation>Antworten durch Vorhersagen beschleunigen (die Ergebnisse bleiben gleich)</translation>
    </message>
    <message>
        <source>From the text itself, or by a small model with the same vocabulary. Takes effect when the model is next loaded.</source>
        <translation>Aus dem Text selbst oder mit einem kleinen Modell mit demselben Vokabular. Gilt ab dem nächsten Laden des Modells.</translation>
    </message>
    <message>
        <source>Threads (0 = one per core)</source>
        <translation>Threads (0 = einer je Kern)</translation>
    </message>
    <message>
        <source>Takes effect when the model is next loaded.</source>
        <translation>Gilt ab dem nächsten Laden des Modells.</translation>
    </message>
    <message>
        <source>Context (tokens; 0 = as memory allows)</source>
        <translation>Kontext (Token; 0 = so viel der Speicher erlaubt)</translation>
    </message>
    <message>
        <source>Unload an idle model after … minutes (0 = never)</source>
        <translation>Ein unbenutztes Modell nach … Minuten entladen (0 = nie)</translation>
    </message>
    <message>
        <source>Your data</source>
        <translation>Ihre Daten</translation>
    </message>
    <message>
        <source>Import, export, backups, and what takes room</source>
        <translation>Import, Export, Sicherungen, und was Platz braucht</translation>
    </message>
    <message>
        <source>What was deleted can be restored for 30 days</source>
        <translation>Gelöschtes lässt sich 30 Tage lang wiederherstellen</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Search the settings</source>
        <translation>Einstellungen durchsuchen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Restore defaults</source>
        <translation>Vorgaben wiederherstellen</translation>
    </message>
    <message>
        <source>Titles of new conversations</source>
        <translation>Titel neuer Unterhaltungen</translation>
    </message>
    <message>
        <source>A model makes the title after the first answer, while it has nothing else to do.</source>
        <translation>Ein Modell macht den Titel nach der ersten Antwort, während es nichts anderes zu tun hat.</translation>
    </message>
    <message>
        <source>First question</source>
        <translation>Erste Frage</translation>
    </message>
    <message>
        <source>Model of this computer</source>
        <translation>Modell dieses Computers</translation>
    </message>
    <message>
        <source>Any model</source>
        <translation>Jedes Modell</translation>
    </message>
    <message>
        <source>Key/value cache of a graphics card</source>
        <translation>Zwischenspeicher (Keys und Values) einer Grafikkarte</translation>
    </message>
    <message>
        <source>In the computer&apos;s memory it leaves the card to the model, and answers are slower. Takes effect when the model is next loaded.</source>
        <translation>Im Arbeitsspeicher lässt er die Karte dem Modell, und Antworten sind langsamer. Gilt ab dem nächsten Laden des Modells.</translation>
    </message>
    <message>
        <source>On the card</source>
        <translation>Auf der Karte</translation>
    </message>
    <message>
        <source>In the computer&apos;s memory</source>
        <translation>Im Arbeitsspeicher</translation>
    </message>
</context>
<context>
    <name>ShortcutsPage</name>
    <message>
        <source>Shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Search all conversations</source>
        <translation>Alle Gespräche durchsuchen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Gespräche</translation>
    </message>
    <message>
        <source>Private chat</source>
        <translation>Privates Gespräch</translation>
    </message>
    <message>
        <source>Rename the folder</source>
        <translation>Ordner umbenennen</translation>
    </message>
    <message>
        <source>Delete the folder, keep its conversations</source>
        <translation>Ordner löschen, Gespräche behalten</translation>
    </message>
    <message>
        <source>Settings of the folder…</source>
        <translation>Einstellungen des Ordners …</translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation>Suche leeren</translation>
    </message>
</context>
<context>
    <name>Sizes</name>
    <message>
        <source>%1 GB</source>
        <translation>%1 GB</translation>
    </message>
    <message>
        <source>%1 MB</source>
        <translation>%1 MB</translation>
    </message>
    <message>
        <source>%1 KB</source>
        <translation>%1 KB</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>SmallerCard</name>
    <message>
        <source>Where the smaller model goes</source>
        <translation>Wohin das kleinere Modell kommt</translation>
    </message>
    <message>
        <source>Go on in the background</source>
        <translation>Im Hintergrund weitermachen</translation>
    </message>
    <message>
        <source>Use as it is</source>
        <translation>So verwenden, wie es ist</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Another folder…</source>
        <translation>Anderer Ordner …</translation>
    </message>
</context>
<context>
    <name>SourceBlock</name>
    <message>
        <source>Source: %1</source>
        <translation>Quelle: %1</translation>
    </message>
</context>
<context>
    <name>SpokenAnswer</name>
    <message>
        <source>Code.</source>
        <translation>Code.</translation>
    </message>
</context>
<context>
    <name>StartOffers</name>
    <message>
        <source>%1 Recommended models to download:</source>
        <translation>%1 Empfohlene Modelle zum Herunterladen:</translation>
    </message>
    <message>
        <source>All models</source>
        <translation>Alle Modelle</translation>
    </message>
</context>
<context>
    <name>Synonyms</name>
    <message>
        <source>preferences options configure dark light theme appearance look language font temperature device threads context</source>
        <translation>Optionen Konfiguration dunkel hell Farbschema Aussehen Sprache Schrift Temperatur Gerät Threads Kontext</translation>
    </message>
    <message>
        <source>system prompt instructions persona role temperature sampler options</source>
        <translation>Systemprompt Anweisungen Rolle Temperatur Optionen</translation>
    </message>
    <message>
        <source>system prompt instructions temperature template context options</source>
        <translation>Systemprompt Anweisungen Temperatur Vorlage Kontext Optionen</translation>
    </message>
    <message>
        <source>switch change choose select download gguf llm</source>
        <translation>wechseln ändern auswählen herunterladen Sprachmodell gguf</translation>
    </message>
    <message>
        <source>attach add upload files pdf read knowledge</source>
        <translation>anhängen hinzufügen hochladen Dateien pdf lesen Wissen</translation>
    </message>
    <message>
        <source>templates snippets personas presets</source>
        <translation>Vorlagen Textbausteine Rollen</translation>
    </message>
    <message>
        <source>save download share markdown pdf html</source>
        <translation>speichern teilen herunterladen Markdown pdf html</translation>
    </message>
    <message>
        <source>save download archive markdown json</source>
        <translation>speichern herunterladen Archiv Markdown json</translation>
    </message>
    <message>
        <source>backup save copy</source>
        <translation>Sicherung sichern Kopie</translation>
    </message>
    <message>
        <source>storage disk space backups restore export import crash</source>
        <translation>Speicher Platz Sicherungen wiederherstellen Export Import Absturz</translation>
    </message>
    <message>
        <source>bin deleted recycle restore undelete</source>
        <translation>gelöscht wiederherstellen Mülleimer</translation>
    </message>
    <message>
        <source>remove erase discard bin</source>
        <translation>entfernen verwerfen wegwerfen</translation>
    </message>
    <message>
        <source>remove erase</source>
        <translation>entfernen</translation>
    </message>
    <message>
        <source>regenerate retry redo again reroll</source>
        <translation>neu generieren wiederholen nochmal erneut</translation>
    </message>
    <message>
        <source>branch fork split copy</source>
        <translation>abzweigen verzweigen Zweig kopieren</translation>
    </message>
    <message>
        <source>resume go on</source>
        <translation>fortsetzen weiter</translation>
    </message>
    <message>
        <source>branch earlier alternative</source>
        <translation>Zweig frühere Alternative</translation>
    </message>
    <message>
        <source>branch later alternative</source>
        <translation>Zweig spätere Alternative</translation>
    </message>
    <message>
        <source>cancel abort interrupt halt</source>
        <translation>abbrechen unterbrechen anhalten</translation>
    </message>
    <message>
        <source>clipboard</source>
        <translation>Zwischenablage</translation>
    </message>
    <message>
        <source>change correct rewrite</source>
        <translation>ändern korrigieren umschreiben</translation>
    </message>
    <message>
        <source>verify prove reproduce receipt</source>
        <translation>überprüfen beweisen nachrechnen Beleg</translation>
    </message>
    <message>
        <source>sources citations references</source>
        <translation>Quellen Zitate Belege</translation>
    </message>
    <message>
        <source>start chat thread</source>
        <translation>neuer Chat beginnen</translation>
    </message>
    <message>
        <source>incognito secret temporary</source>
        <translation>inkognito geheim vorübergehend</translation>
    </message>
    <message>
        <source>find look all chats history</source>
        <translation>finden suchen Verlauf alle</translation>
    </message>
    <message>
        <source>search look</source>
        <translation>suchen</translation>
    </message>
    <message>
        <source>title name</source>
        <translation>Titel Name</translation>
    </message>
    <message>
        <source>favourite favorite star top</source>
        <translation>Favorit Stern oben</translation>
    </message>
    <message>
        <source>hide put away</source>
        <translation>verstecken weglegen</translation>
    </message>
    <message>
        <source>group project organise organize</source>
        <translation>Gruppe Projekt ordnen</translation>
    </message>
    <message>
        <source>context tokens system prompt template inspect</source>
        <translation>Kontext Tokens Systemprompt Vorlage ansehen</translation>
    </message>
    <message>
        <source>revert restore back</source>
        <translation>zurück wiederherstellen</translation>
    </message>
    <message>
        <source>zoom bigger font size increase</source>
        <translation>Zoom Schriftgröße vergrößern</translation>
    </message>
    <message>
        <source>zoom font size decrease</source>
        <translation>Zoom Schriftgröße verkleinern</translation>
    </message>
    <message>
        <source>zoom reset font size 100</source>
        <translation>Zoom zurücksetzen Schriftgröße 100</translation>
    </message>
    <message>
        <source>manual guide faq support documentation</source>
        <translation>Anleitung Handbuch Fragen Dokumentation</translation>
    </message>
    <message>
        <source>keyboard hotkeys keys bindings</source>
        <translation>Tastatur Tastenkürzel Tasten</translation>
    </message>
    <message>
        <source>exit close leave</source>
        <translation>schließen verlassen</translation>
    </message>
    <message>
        <source>load gguf file document</source>
        <translation>laden gguf datei dokument</translation>
    </message>
    <message>
        <source>regenerate retry compare other model</source>
        <translation>neu nochmal vergleichen anderes modell</translation>
    </message>
    <message>
        <source>bring in migrate chatgpt claude transfer</source>
        <translation>holen umziehen übernehmen chatgpt claude</translation>
    </message>
    <message>
        <source>keep remember context</source>
        <translation>behalten merken kontext</translation>
    </message>
    <message>
        <source>forget let go</source>
        <translation>vergessen loslassen</translation>
    </message>
    <message>
        <source>attach upload file picture photo image pdf</source>
        <translation>anhängen hochladen datei bild foto pdf</translation>
    </message>
    <message>
        <source>capture screen grab picture image snip</source>
        <translation>bildschirm aufnehmen bild foto ausschnitt</translation>
    </message>
</context>
<context>
    <name>TableBlock</name>
    <message>
        <source>Table: %1</source>
        <translation>Tabelle: %1</translation>
    </message>
</context>
<context>
    <name>TimeText</name>
    <message>
        <source>less than a minute</source>
        <translation>weniger als eine Minute</translation>
    </message>
    <message>
        <source>about a minute</source>
        <translation>etwa eine Minute</translation>
    </message>
    <message>
        <source>about %1 minutes</source>
        <translation>etwa %1 Minuten</translation>
    </message>
    <message>
        <source>about %1 hours</source>
        <translation>etwa %1 Stunden</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
</context>
<context>
    <name>Toasts</name>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
</context>
<context>
    <name>ToolCallBlock</name>
    <message>
        <source>Tool: %1</source>
        <translation>Werkzeug: %1</translation>
    </message>
</context>
<context>
    <name>ToolResultBlock</name>
    <message>
        <source>Result of %1</source>
        <translation>Ergebnis von %1</translation>
    </message>
</context>
<context>
    <name>TrashPage</name>
    <message>
        <source>Trash</source>
        <translation>Papierkorb</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Restore %1</source>
        <translation>%1 wiederherstellen</translation>
    </message>
    <message>
        <source>This cannot be undone.</source>
        <translation>Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>Delete for good</source>
        <translation>Endgültig löschen</translation>
    </message>
    <message>
        <source>Empty the trash</source>
        <translation>Papierkorb leeren</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::Actions</name>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::AnotherWord</name>
    <message>
        <source>This answer comes from elsewhere: its tokens are not known.</source>
        <translation>Diese Antwort kommt von anderswo: Ihre Token sind nicht bekannt.</translation>
    </message>
    <message>
        <source>This text cannot be followed back to the model&apos;s words.</source>
        <translation>Dieser Text lässt sich nicht auf die Wörter des Modells zurückführen.</translation>
    </message>
    <message>
        <source>Only the model that wrote this knows other words: load %1.</source>
        <translation>Andere Wörter kennt nur das Modell, das dies geschrieben hat: Laden Sie %1.</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Wird nachgesehen …</translation>
    </message>
    <message>
        <source>&lt; 1%</source>
        <translation>&lt; 1 %</translation>
    </message>
    <message>
        <source>%1%</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>End of the answer</source>
        <translation>Ende der Antwort</translation>
    </message>
    <message>
        <source>Part of a character</source>
        <translation>Teil eines Zeichens</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Leerraum</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::AnswerCheck</name>
    <message>
        <source>Not verifiable: another computer wrote this answer.</source>
        <translation>Nicht nachprüfbar: Ein anderer Computer hat diese Antwort geschrieben.</translation>
    </message>
    <message>
        <source>What made this answer was not recorded.</source>
        <translation>Wodurch diese Antwort entstand, wurde nicht festgehalten.</translation>
    </message>
    <message>
        <source>Whether the model file is still the same is not known.</source>
        <translation>Ob die Modelldatei noch dieselbe ist, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>The model file is another one now.</source>
        <translation>Die Modelldatei ist jetzt eine andere.</translation>
    </message>
    <message>
        <source>Version %1 wrote it, and this is version %2.</source>
        <translation>Version %1 hat sie geschrieben, und dies ist Version %2.</translation>
    </message>
    <message>
        <source>It was written on %1, and %2 computes now.</source>
        <translation>Sie wurde auf %1 geschrieben, und jetzt rechnet %2.</translation>
    </message>
    <message>
        <source>It was written with %1 instructions, and %2 are used now.</source>
        <translation>Sie wurde mit %1-Befehlen geschrieben, und jetzt werden %2 verwendet.</translation>
    </message>
    <message>
        <source>The model is loaded with other settings now.</source>
        <translation>Das Modell ist jetzt mit anderen Einstellungen geladen.</translation>
    </message>
    <message>
        <source>What stands before the answer is not what the model was given then.</source>
        <translation>Was vor der Antwort steht, ist nicht, was dem Modell damals gegeben wurde.</translation>
    </message>
    <message>
        <source>On a graphics device the same tokens are not promised.</source>
        <translation>Auf einem Grafikgerät sind dieselben Token nicht versprochen.</translation>
    </message>
    <message>
        <source>This answer has no tokens to check.</source>
        <translation>Diese Antwort hat keine Token, die zu prüfen wären.</translation>
    </message>
    <message numerus="yes">
        <source>Identical: %n tokens.</source>
        <translation>
            <numerusform>Identisch: %n Token.</numerusform>
            <numerusform>Identisch: %n Token.</numerusform>
        </translation>
    </message>
    <message>
        <source>It was checked with the settings that it was written with; new answers have others.</source>
        <translation>Geprüft wurde mit den Einstellungen, mit denen sie geschrieben wurde; neue Antworten haben andere.</translation>
    </message>
    <message>
        <source>The word that you chose is not counted.</source>
        <translation>Das Wort, das Sie gewählt haben, zählt nicht.</translation>
    </message>
    <message>
        <source>Not identical: from word %1 on the model now writes “%2”.</source>
        <translation>Nicht identisch: Ab Wort %1 schreibt das Modell jetzt „%2“.</translation>
    </message>
    <message>
        <source>Token %1: stored “%2”, now “%3” (logits %4 apart)</source>
        <translation>Token %1: gespeichert „%2“, jetzt „%3“ (Logits %4 auseinander)</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::BackupList</name>
    <message>
        <source>Inglenook makes one a day and keeps the last %1.</source>
        <translation>Inglenook macht jeden Tag eine und behält die letzten %1.</translation>
    </message>
    <message>
        <source>There is none yet. %1</source>
        <translation>Es gibt noch keine. %1</translation>
    </message>
    <message>
        <source>Backup made: %1</source>
        <translation>Gesichert: %1</translation>
    </message>
    <message>
        <source>The conversations are as they were on %1. Those of before are kept as %2.</source>
        <translation>Die Gespräche sind, wie sie am %1 waren. Die von vorher bleiben als %2.</translation>
    </message>
    <message>
        <source>being checked…</source>
        <translation>wird geprüft…</translation>
    </message>
    <message>
        <source>whole: it can be restored</source>
        <translation>ganz: sie lässt sich wiederherstellen</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::ChatController</name>
    <message>
        <source>Send it this time</source>
        <translation>Dieses Mal senden</translation>
    </message>
    <message>
        <source>The damaged history is kept as %1.</source>
        <translation>Der beschädigte Verlauf wird als %1 aufbewahrt.</translation>
    </message>
    <message>
        <source>The answer waits: %1</source>
        <translation>Die Antwort wartet: %1</translation>
    </message>
    <message>
        <source>Set it aside and start a new history</source>
        <translation>Beiseitelegen und einen neuen Verlauf beginnen</translation>
    </message>
    <message>
        <source>Message changed</source>
        <translation>Nachricht geändert</translation>
    </message>
    <message>
        <source>Message deleted</source>
        <translation>Nachricht gelöscht</translation>
    </message>
    <message>
        <source>Answer deleted</source>
        <translation>Antwort gelöscht</translation>
    </message>
    <message>
        <source>Reading the conversation… %1%</source>
        <translation>Liest das Gespräch … %1 %</translation>
    </message>
    <message>
        <source>Waiting for another answer…</source>
        <translation>Wartet auf eine andere Antwort …</translation>
    </message>
    <message>
        <source>This history can only be read</source>
        <translation>Dieser Verlauf kann nur gelesen werden</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>Nachricht schreiben</translation>
    </message>
    <message>
        <source>Your conversations are being made ready. After an update this can take a minute.</source>
        <translation>Ihre Gespräche werden bereitgestellt. Nach einer Aktualisierung kann das eine Minute dauern.</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>Eingefügter Text</translation>
    </message>
    <message>
        <source>Pasted text, %1 characters</source>
        <translation>Eingefügter Text, %1 Zeichen</translation>
    </message>
    <message>
        <source>Attached text removed</source>
        <translation>Angehängter Text entfernt</translation>
    </message>
    <message>
        <source>Write a message; it is sent to %1</source>
        <translation>Nachricht schreiben; sie wird an %1 gesendet</translation>
    </message>
    <message>
        <source>Ask how Inglenook works</source>
        <translation>Fragen, wie Inglenook funktioniert</translation>
    </message>
    <message>
        <source>This chat is private, and %1 runs on %2. What you write would be sent there.</source>
        <translation>Dieser Chat ist privat, und %1 läuft auf %2. Was Sie schreiben, würde dorthin gesendet.</translation>
    </message>
    <message>
        <source>Documents are in this chat, and %1 runs on %2. Passages of them would be sent there.</source>
        <translation>In diesem Chat sind Dokumente, und %1 läuft auf %2. Stellen daraus würden dorthin gesendet.</translation>
    </message>
    <message>
        <source>Waiting for %1…</source>
        <translation>Warte auf %1…</translation>
    </message>
    <message>
        <source>This picture cannot be pasted. PNG, JPEG and WebP can.</source>
        <translation>Dieses Bild lässt sich nicht einfügen. Mit PNG, JPEG und WebP geht es.</translation>
    </message>
    <message>
        <source>Pasted picture</source>
        <translation>Eingefügtes Bild</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a file</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 was not attached, because another chat was opened.</source>
        <translation>%1 wurde nicht angehängt, weil ein anderer Chat geöffnet wurde.</translation>
    </message>
    <message>
        <source>Picture removed</source>
        <translation>Bild entfernt</translation>
    </message>
    <message>
        <source>Looking at the picture…</source>
        <translation>Sieht sich das Bild an …</translation>
    </message>
    <message>
        <source>%1 cannot see pictures.</source>
        <translation>%1 kann keine Bilder sehen.</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>%1 verwenden</translation>
    </message>
    <message>
        <source>One that can has a vision file (mmproj) beside it.</source>
        <translation>Ein Modell, das es kann, hat eine Vision-Datei (mmproj) neben sich.</translation>
    </message>
    <message>
        <source>Find a model</source>
        <translation>Modell suchen</translation>
    </message>
    <message>
        <source>Looking at the picture… %1%</source>
        <translation>Sieht sich das Bild an … %1 %</translation>
    </message>
    <message>
        <source>The vision file %1 beside it may be its own.</source>
        <translation>Die Bilddatei %1 daneben gehört vielleicht dazu.</translation>
    </message>
    <message>
        <source>Try it</source>
        <translation>Versuchen</translation>
    </message>
    <message>
        <source>The vision file beside it is damaged, not all there, or of a kind that is not known here.</source>
        <translation>Die Bilddatei daneben ist beschädigt, unvollständig oder von einer Art, die hier nicht bekannt ist.</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Noch einmal nachsehen</translation>
    </message>
    <message>
        <source>The model file has no chat template, so a built-in one is used.</source>
        <translation>Die Modelldatei hat keine Chatvorlage, also wird eine eingebaute verwendet.</translation>
    </message>
    <message>
        <source>The model&apos;s chat template cannot be read, so a built-in one is used.</source>
        <translation>Die Chatvorlage des Modells ist nicht lesbar, also wird eine eingebaute verwendet.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::ChatExport</name>
    <message>
        <source>Everything in the conversations; it can be brought in again.</source>
        <translation>Alles in den Gesprächen; es lässt sich wieder hereinholen.</translation>
    </message>
    <message>
        <source>Text, as shown, for editors and notes.</source>
        <translation>Text, wie er gezeigt wird, für Editoren und Notizen.</translation>
    </message>
    <message>
        <source>A page, as shown, to read in a browser and to print.</source>
        <translation>Eine Seite, wie sie gezeigt wird, zum Lesen im Browser und zum Drucken.</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>Wird geschrieben…</translation>
    </message>
    <message>
        <source>Writing: %1 so far</source>
        <translation>Wird geschrieben: bisher %1</translation>
    </message>
    <message>
        <source>Saved %1 as %2</source>
        <translation>Gespeichert: %1 als %2</translation>
    </message>
    <message>
        <source>The export was stopped; there is no file of it.</source>
        <translation>Die Ausgabe wurde angehalten; es gibt keine Datei davon.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::ChatFeature</name>
    <message>
        <source>The desktop took no screenshot.</source>
        <translation>Der Desktop hat kein Bildschirmfoto gemacht.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::ChatImport</name>
    <message>
        <source>These are your own conversations; “Your data” restores backups.</source>
        <translation>Das sind Ihre eigenen Gespräche; „Ihre Daten“ stellt Sicherungen wieder her.</translation>
    </message>
    <message>
        <source>%1 holds no chats of a program that is known.</source>
        <translation>%1 enthält keine Gespräche eines bekannten Programms.</translation>
    </message>
    <message>
        <source>The import was stopped; nothing of it stays.</source>
        <translation>Das Hereinholen wurde angehalten; nichts davon bleibt.</translation>
    </message>
    <message>
        <source>The imported chats are in the trash</source>
        <translation>Die hereingeholten Gespräche sind im Papierkorb</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>%1 wird gelesen…</translation>
    </message>
    <message>
        <source>Reading %1: %2 so far</source>
        <translation>%1 wird gelesen: bisher %2</translation>
    </message>
    <message>
        <source>%1 of %2 holds no chat.</source>
        <translation>%1 von %2 enthält kein Gespräch.</translation>
    </message>
    <message>
        <source>%1 holds %2 of %3 with %4</source>
        <translation>%1 enthält %2 von %3 mit %4</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1.</translation>
    </message>
    <message>
        <source>%1, from %2.</source>
        <translation>%1, von %2.</translation>
    </message>
    <message>
        <source>Importing chats: %1 of %2</source>
        <translation>Chats werden importiert: %1 von %2</translation>
    </message>
    <message>
        <source>Imported: %1 of %2 with %3.</source>
        <translation>Importiert: %1 von %2 mit %3.</translation>
    </message>
    <message>
        <source>%1 cannot be imported: %2</source>
        <translation>%1 kann nicht importiert werden: %2</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::ChatRows</name>
    <message>
        <source>Thinking…</source>
        <translation>Denkt nach …</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Unterbrochen</translation>
    </message>
    <message>
        <source>%1 · %2 tokens · %3 per second</source>
        <translation>%1 · %2 Token · %3 je Sekunde</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>Gedanken</translation>
    </message>
    <message>
        <source>Thought for %1</source>
        <translation>%1 nachgedacht</translation>
    </message>
    <message>
        <source> · %1 tokens predicted ahead</source>
        <translation> · %1 Token vorhergesagt</translation>
    </message>
    <message>
        <source>Interrupted. %1, which another computer runs, can continue it: choose it first.</source>
        <translation>Unterbrochen. %1 auf einem anderen Rechner kann sie fortsetzen: Wählen Sie es zuerst.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::ChatStatus</name>
    <message>
        <source>%1 tokens per second</source>
        <translation>%1 Token je Sekunde</translation>
    </message>
    <message>
        <source>Context: %1 of %2 tokens</source>
        <translation>Kontext: %1 von %2 Token</translation>
    </message>
    <message>
        <source>Context: %1 tokens, without end</source>
        <translation>Kontext: %1 Token, ohne Grenze</translation>
    </message>
    <message>
        <source>Looking at the file…</source>
        <translation>Prüft die Datei …</translation>
    </message>
    <message>
        <source>Loading %1… %2%</source>
        <translation>%1 wird geladen … %2 %</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>%1 ist gescheitert</translation>
    </message>
    <message>
        <source>%1 is missing</source>
        <translation>%1 fehlt</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Modell wählen</translation>
    </message>
    <message>
        <source>%1 · sent to %2</source>
        <translation>%1 · gesendet an %2</translation>
    </message>
    <message>
        <source>Guide (help, no assistant)</source>
        <translation>Wegweiser (Hilfe, kein Assistent)</translation>
    </message>
    <message>
        <source>What you ask is sent to %1</source>
        <translation>Was Sie fragen, wird an %1 gesendet</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::ConversationListModel</name>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>Gefunden</translation>
    </message>
    <message>
        <source>“%1” deleted</source>
        <translation>„%1“ gelöscht</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>No conversations yet</source>
        <translation>Noch keine Gespräche</translation>
    </message>
    <message>
        <source>%1, pinned</source>
        <translation>%1, angeheftet</translation>
    </message>
    <message>
        <source>%1, an answer is being written</source>
        <translation>%1, eine Antwort wird geschrieben</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archiv</translation>
    </message>
    <message>
        <source>%1 conversations deleted</source>
        <translation>%1 Gespräche gelöscht</translation>
    </message>
    <message>
        <source>“%1” archived</source>
        <translation>„%1“ archiviert</translation>
    </message>
    <message>
        <source>%1 conversations archived</source>
        <translation>%1 Gespräche archiviert</translation>
    </message>
    <message>
        <source>Folder “%1” deleted; its conversations are kept</source>
        <translation>Ordner „%1“ gelöscht; seine Gespräche bleiben</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::CrashReports</name>
    <message>
        <source>Inglenook crashed. A report of it was kept on this computer; it holds nothing you wrote.</source>
        <translation>Inglenook ist abgestürzt. Ein Bericht darüber liegt auf diesem Rechner; er enthält nichts, was Sie geschrieben haben.</translation>
    </message>
    <message>
        <source>Show the report</source>
        <translation>Bericht zeigen</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::DataPlaces</name>
    <message>
        <source>Your conversations, documents and settings</source>
        <translation>Ihre Gespräche, Dokumente und Einstellungen</translation>
    </message>
    <message>
        <source>Backups of your conversations</source>
        <translation>Sicherungen Ihrer Gespräche</translation>
    </message>
    <message>
        <source>Conversations that were put aside: %1</source>
        <translation>Gespräche, die beiseitegelegt wurden: %1</translation>
    </message>
    <message>
        <source>What models have read of conversations, so that they need not read it again</source>
        <translation>Was Modelle von Gesprächen gelesen haben, damit sie es nicht noch einmal lesen müssen</translation>
    </message>
    <message>
        <source>What models have read of documents</source>
        <translation>Was Modelle von Dokumenten gelesen haben</translation>
    </message>
    <message>
        <source>A model that was made smaller: %1</source>
        <translation>Ein Modell, das verkleinert wurde: %1</translation>
    </message>
    <message>
        <source>Reports of crashes; they hold nothing you wrote</source>
        <translation>Absturzberichte; sie enthalten nichts, was Sie geschrieben haben</translation>
    </message>
    <message>
        <source>Things that are made again when they are missing</source>
        <translation>Was neu gemacht wird, wenn es fehlt</translation>
    </message>
    <message>
        <source>The list of models, and locks</source>
        <translation>Die Liste der Modelle und Sperren</translation>
    </message>
    <message>
        <source>All backups go; there is no way back to how the conversations were.</source>
        <translation>Alle Sicherungen gehen; es gibt dann keinen Weg zurück zu früheren Gesprächen.</translation>
    </message>
    <message>
        <source>This file goes for good, with all conversations in it.</source>
        <translation>Diese Datei geht endgültig, mit allen Gesprächen darin.</translation>
    </message>
    <message>
        <source>The next answer in each conversation begins later: it is read again first.</source>
        <translation>Die nächste Antwort in jedem Gespräch beginnt später: Es wird erst wieder gelesen.</translation>
    </message>
    <message>
        <source>Documents stay on the shelf and have to be read again, which takes long.</source>
        <translation>Dokumente bleiben im Regal und müssen noch einmal gelesen werden, was lange dauert.</translation>
    </message>
    <message>
        <source>The model goes; it can be made again from the one that it was made of.</source>
        <translation>Das Modell geht; es lässt sich aus dem, woraus es gemacht wurde, wieder machen.</translation>
    </message>
    <message>
        <source>Nothing is lost but what could have helped to find a mistake.</source>
        <translation>Verloren geht nur, was geholfen hätte, einen Fehler zu finden.</translation>
    </message>
    <message>
        <source>Nothing is lost; the next start takes a little longer.</source>
        <translation>Nichts geht verloren; der nächste Start dauert etwas länger.</translation>
    </message>
    <message>
        <source>All of it takes %1. Models that you opened stay where they are and are not counted.</source>
        <translation>Alles zusammen nimmt %1 ein. Modelle, die Sie geöffnet haben, bleiben, wo sie sind, und zählen nicht mit.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::DeviceChoices</name>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::DocumentShelf</name>
    <message>
        <source>Opening %1…</source>
        <translation>%1 wird geöffnet …</translation>
    </message>
    <message>
        <source>Drop a text, a web page, a PDF, a document or a folder of source text on the window. The model reads it once; every question after that begins at once.</source>
        <translation>Ziehen Sie einen Text, eine Webseite, ein PDF, ein Dokument oder einen Ordner mit Quelltext auf das Fenster. Das Modell liest es einmal; jede Frage danach beginnt sofort.</translation>
    </message>
    <message>
        <source>What models remember of them takes %1.</source>
        <translation>Was Modelle davon behalten, belegt %1.</translation>
    </message>
    <message>
        <source>Models with a memory of fixed size (Qwen3.5, RWKV) keep far less.</source>
        <translation>Modelle mit einem Gedächtnis fester Größe (Qwen3.5, RWKV) behalten viel weniger.</translation>
    </message>
    <message>
        <source>used %1</source>
        <translation>benutzt am %1</translation>
    </message>
    <message>
        <source>in one conversation</source>
        <translation>in einem Gespräch</translation>
    </message>
    <message>
        <source>in %1 conversations</source>
        <translation>in %1 Gesprächen</translation>
    </message>
    <message>
        <source>read by %1</source>
        <translation>gelesen von %1</translation>
    </message>
    <message>
        <source>without %1</source>
        <translation>ohne %1</translation>
    </message>
    <message>
        <source>%1 kept on the disk</source>
        <translation>%1 auf der Platte</translation>
    </message>
    <message>
        <source>%1 here, %2</source>
        <translation>%1 hier, %2</translation>
    </message>
    <message>
        <source>Open a model, and it can be asked about.</source>
        <translation>Öffnen Sie ein Modell, dann kann man dazu fragen.</translation>
    </message>
    <message>
        <source>This model has not read it.</source>
        <translation>Dieses Modell hat es nicht gelesen.</translation>
    </message>
    <message>
        <source>How long reading it takes is being found out…</source>
        <translation>Wie lange das Lesen dauert, wird ermittelt …</translation>
    </message>
    <message>
        <source>Too long for this model (%1 tokens): the passages that a question needs are chosen.</source>
        <translation>Zu lang für dieses Modell (%1 Token): gewählt werden die Stellen, die eine Frage braucht.</translation>
    </message>
    <message>
        <source>%1 tokens: %2</source>
        <translation>%1 Token: %2</translation>
    </message>
    <message>
        <source>%1 % read. The rest: %2</source>
        <translation>%1 % gelesen. Der Rest: %2</translation>
    </message>
    <message>
        <source>Waits to be read.</source>
        <translation>Wartet darauf, gelesen zu werden.</translation>
    </message>
    <message>
        <source>%1 % read</source>
        <translation>%1 % gelesen</translation>
    </message>
    <message>
        <source>%1 % read, %2 left</source>
        <translation>%1 % gelesen, noch %2</translation>
    </message>
    <message>
        <source>Read with %1: %2 tokens, %3 kept on the disk</source>
        <translation>Gelesen mit %1: %2 Token, %3 auf der Platte</translation>
    </message>
    <message>
        <source>Stays on this computer: passages of it are sent only when you allow it.</source>
        <translation>Bleibt auf diesem Rechner: Stellen daraus werden nur gesendet, wenn Sie es erlauben.</translation>
    </message>
    <message>
        <source>%1, %2 left</source>
        <translation>%1, noch %2</translation>
    </message>
    <message>
        <source>page %1 of %2</source>
        <translation>Seite %1 von %2</translation>
    </message>
    <message>
        <source>Reading the scan %1: %2</source>
        <translation>Der Scan %1 wird gelesen: %2</translation>
    </message>
    <message>
        <source>Reading %1 with %2: %3</source>
        <translation>%1 wird mit %2 gelesen: %3</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::DocumentsFeature</name>
    <message>
        <source>Documents are kept, so a private chat has none.</source>
        <translation>Dokumente werden aufgehoben, ein privates Gespräch hat deshalb keine.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::DraftMeasure</name>
    <message>
        <source>%1 tokens, %2 left</source>
        <translation>%1 Token, %2 übrig</translation>
    </message>
    <message>
        <source>%1 tokens; older messages make room</source>
        <translation>%1 Token; ältere Nachrichten machen Platz</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::FindInChat</name>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>Message %1 of %2</source>
        <translation>Nachricht %1 von %2</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::FitAdvice</name>
    <message>
        <source>Shorter context and smaller cache: %1 tokens, %2</source>
        <translation>Kürzerer Kontext und kleinerer Zwischenspeicher: %1 Token, %2</translation>
    </message>
    <message>
        <source>Shorter context: %1 tokens, %2</source>
        <translation>Kürzerer Kontext: %1 Token, %2</translation>
    </message>
    <message>
        <source>Smaller cache (8 bits): %1</source>
        <translation>Kleinerer Zwischenspeicher (8 Bit): %1</translation>
    </message>
    <message>
        <source>Make it smaller: %1</source>
        <translation>Modell verkleinern: %1</translation>
    </message>
    <message>
        <source>%1 needs %2 of memory; %3 of %4 are free. Closing other programs may help, too.</source>
        <translation>%1 braucht %2 Speicher; %3 von %4 sind frei. Auch andere Programme zu schließen kann helfen.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::LongAnswers</name>
    <message>
        <source>An answer was broken off</source>
        <translation>Eine Antwort brach ab</translation>
    </message>
    <message>
        <source>Answer ready</source>
        <translation>Antwort fertig</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::ModelInUse</name>
    <message>
        <source>The engine stopped unexpectedly and was started again.</source>
        <translation>Die Engine ist unerwartet stehen geblieben und wurde neu gestartet.</translation>
    </message>
    <message>
        <source>The engine stopped twice; it now runs on the processor with its plainest code.</source>
        <translation>Die Engine ist zweimal stehen geblieben; sie läuft jetzt auf dem Prozessor mit ihrem einfachsten Code.</translation>
    </message>
    <message>
        <source>%1 finds passages in documents; it writes nothing, so it cannot chat.</source>
        <translation>%1 findet Stellen in Dokumenten; es schreibt nichts und kann daher nicht chatten.</translation>
    </message>
    <message>
        <source>The file %1 is gone. Drop it again from where it is now.</source>
        <translation>Die Datei %1 ist fort. Legen Sie sie von ihrem neuen Ort aus wieder hier ab.</translation>
    </message>
    <message>
        <source>The file of %1 has changed since it was last used.</source>
        <translation>Die Datei von %1 hat sich seit der letzten Verwendung geändert.</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>From the text itself</source>
        <translation>Aus dem Text selbst</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::ModelLibrary</name>
    <message>
        <source>Computer</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>What you ask</source>
        <translation>Was Sie fragen</translation>
    </message>
    <message>
        <source>is sent to %1</source>
        <translation>wird an %1 gesendet</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>Used for</source>
        <translation>Verwendet für</translation>
    </message>
    <message>
        <source>finding passages in documents</source>
        <translation>das Finden von Stellen in Dokumenten</translation>
    </message>
    <message>
        <source>Kind and size</source>
        <translation>Art und Größe</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Speed of its last answers</source>
        <translation>Geschwindigkeit der letzten Antworten</translation>
    </message>
    <message>
        <source>Speed, as foretold</source>
        <translation>Geschwindigkeit, vorausberechnet</translation>
    </message>
    <message>
        <source>Computed by</source>
        <translation>Berechnet von</translation>
    </message>
    <message>
        <source>Context now</source>
        <translation>Kontext jetzt</translation>
    </message>
    <message>
        <source>Longest context</source>
        <translation>Längster Kontext</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>it is in memory and answers at once</source>
        <translation>es ist im Speicher und antwortet sofort</translation>
    </message>
    <message>
        <source>needs %1; that is free</source>
        <translation>braucht %1; so viel ist frei</translation>
    </message>
    <message>
        <source>Where it lies</source>
        <translation>Wo alles liegt</translation>
    </message>
    <message>
        <source>%1, in use</source>
        <translation>%1, in Gebrauch</translation>
    </message>
    <message>
        <source>On other computers</source>
        <translation>Auf anderen Rechnern</translation>
    </message>
    <message>
        <source>What you ask is sent to %1</source>
        <translation>Was Sie fragen, wird an %1 gesendet</translation>
    </message>
    <message>
        <source>finds passages in documents</source>
        <translation>findet Stellen in Dokumenten</translation>
    </message>
    <message>
        <source>In memory: answers at once</source>
        <translation>Im Speicher: antwortet sofort</translation>
    </message>
    <message>
        <source>about %1 seconds a word</source>
        <translation>etwa %1 Sekunden je Wort</translation>
    </message>
    <message>
        <source>about one word a second</source>
        <translation>etwa ein Wort je Sekunde</translation>
    </message>
    <message>
        <source>about %1 words a second</source>
        <translation>etwa %1 Wörter je Sekunde</translation>
    </message>
    <message>
        <source>%1 tokens per second measured</source>
        <translation>%1 Token pro Sekunde gemessen</translation>
    </message>
    <message>
        <source>needs %1 of memory, and %2 are free</source>
        <translation>braucht %1 Speicher, und %2 sind frei</translation>
    </message>
    <message>
        <source>The file is missing.</source>
        <translation>Die Datei fehlt.</translation>
    </message>
    <message>
        <source>The file has changed since it was last used.</source>
        <translation>Die Datei hat sich geändert, seit sie zuletzt benutzt wurde.</translation>
    </message>
    <message>
        <source>Sees pictures by</source>
        <translation>Sieht Bilder mit</translation>
    </message>
    <message>
        <source>Sees no pictures</source>
        <translation>Sieht keine Bilder</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::ModelOffers</name>
    <message>
        <source>This computer: %1 GB of memory, %2 GB free.</source>
        <translation>Dieser Computer: %1 GB Speicher, %2 GB frei.</translation>
    </message>
    <message>
        <source>This list is of %1 and is never updated over the network.</source>
        <translation>Diese Liste ist vom %1 und wird nie über das Netz erneuert.</translation>
    </message>
    <message>
        <source>%1 GB · kept by %2</source>
        <translation>%1 GB · von %2</translation>
    </message>
    <message>
        <source>On this computer already</source>
        <translation>Schon auf diesem Rechner</translation>
    </message>
    <message>
        <source>code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>%1 · %2 · for %3 GB of memory or more</source>
        <translation>%1 · %2 · ab %3 GB Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Recommended for this computer</source>
        <translation>Empfohlen für diesen Rechner</translation>
    </message>
    <message>
        <source>All models</source>
        <translation>Alle Modelle</translation>
    </message>
    <message>
        <source>%1: slow on this computer</source>
        <translation>%1: langsam auf diesem Rechner</translation>
    </message>
    <message>
        <source>%1 GB</source>
        <translation>%1 GB</translation>
    </message>
    <message>
        <source>finds passages in documents</source>
        <translation>findet Stellen in Dokumenten</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::Notices</name>
    <message>
        <source>%1 could not be written.</source>
        <translation>%1 ließ sich nicht schreiben.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::Opener</name>
    <message>
        <source>Only files on this computer can be opened.</source>
        <translation>Nur Dateien auf diesem Rechner können geöffnet werden.</translation>
    </message>
    <message numerus="yes">
        <source>%n models were recognised; the first is opened.</source>
        <translation>
            <numerusform>%n Modell wurde erkannt; es wird geöffnet.</numerusform>
            <numerusform>%n Modelle wurden erkannt; das erste wird geöffnet.</numerusform>
        </translation>
    </message>
    <message>
        <source>Find a model</source>
        <translation>Ein Modell finden</translation>
    </message>
    <message>
        <source>%1 finished downloading.</source>
        <translation>%1 ist fertig heruntergeladen.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>%1 finds passages in documents from now on. It cannot chat.</source>
        <translation>%1 findet von nun an Stellen in Dokumenten. Chatten kann es nicht.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::PageSeer</name>
    <message>
        <source>the model that was reading it is not in use any more. Open it again with that model, and it goes on.</source>
        <translation>das Modell, das sie gelesen hat, wird nicht mehr benutzt. Öffnen Sie sie mit diesem Modell noch einmal, dann geht es weiter.</translation>
    </message>
    <message>
        <source>[This page goes on. It was too long to be read to its end.]</source>
        <translation>[Diese Seite geht weiter. Sie war zu lang, um bis zu ihrem Ende gelesen zu werden.]</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::PictureViewer</name>
    <message>
        <source>picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::Pictures</name>
    <message>
        <source>Reading this picture failed: it is damaged, or larger than the memory for it.</source>
        <translation>Dieses Bild konnte nicht gelesen werden: Es ist beschädigt oder größer als der Speicher dafür.</translation>
    </message>
    <message>
        <source>Reading this picture took too long and was ended.</source>
        <translation>Das Lesen dieses Bildes dauerte zu lange und wurde beendet.</translation>
    </message>
    <message>
        <source>The part of Inglenook that reads pictures is missing. Please install it again.</source>
        <translation>Der Teil von Inglenook, der Bilder liest, fehlt. Bitte installieren Sie es neu.</translation>
    </message>
    <message>
        <source>This picture is not there any more.</source>
        <translation>Dieses Bild ist nicht mehr da.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::ProfileEditor</name>
    <message>
        <source>from the settings</source>
        <translation>aus den Einstellungen</translation>
    </message>
    <message>
        <source>from the model</source>
        <translation>vom Modell</translation>
    </message>
    <message>
        <source>from the folder</source>
        <translation>vom Ordner</translation>
    </message>
    <message>
        <source>Settings of this chat</source>
        <translation>Einstellungen dieses Gesprächs</translation>
    </message>
    <message>
        <source>as the model has it</source>
        <translation>wie das Modell es hat</translation>
    </message>
    <message>
        <source>Hello!</source>
        <translation>Hallo!</translation>
    </message>
    <message>
        <source>Hello! What can I do for you?</source>
        <translation>Hallo! Was kann ich für Sie tun?</translation>
    </message>
    <message>
        <source>What is 2 + 2?</source>
        <translation>Was ist 2 + 2?</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::PromptView</name>
    <message>
        <source>Instructions</source>
        <translation>Anweisungen</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message numerus="yes">
        <source>%n tokens</source>
        <translation>
            <numerusform>%n Token</numerusform>
            <numerusform>%n Token</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, no longer seen</source>
        <translation>%1, nicht mehr gesehen</translation>
    </message>
    <message>
        <source>%1 tokens, and no limit.</source>
        <translation>%1 Token, ohne Grenze.</translation>
    </message>
    <message>
        <source>%1 of %2 tokens; the rest of the context is for the answer.</source>
        <translation>%1 von %2 Token; der Rest des Kontexts ist für die Antwort.</translation>
    </message>
    <message>
        <source>This model&apos;s chat template skips some messages.</source>
        <translation>Die Chat-Vorlage dieses Modells lässt einige Nachrichten aus.</translation>
    </message>
    <message>
        <source>%1 are formatting.</source>
        <translation>%1 sind Formatierung.</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>%1 × %2 pixels, %3</source>
        <comment>a picture and its tokens</comment>
        <translation>%1 × %2 Pixel, %3</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::Prompts</name>
    <message>
        <source>Prompt “%1” deleted</source>
        <translation>Vorlage „%1“ gelöscht</translation>
    </message>
    <message>
        <source>Summarise</source>
        <translation>Zusammenfassen</translation>
    </message>
    <message>
        <source>Summarise the following text in {sentences} sentences:

{text}</source>
        <translation>Fasse den folgenden Text in {Anzahl} Sätzen zusammen:

{Text}</translation>
    </message>
    <message>
        <source>Explain simply</source>
        <translation>Einfach erklären</translation>
    </message>
    <message>
        <source>Explain {topic} in simple words, with one example from daily life.</source>
        <translation>Erkläre {Thema} in einfachen Worten, mit einem Beispiel aus dem Alltag.</translation>
    </message>
    <message>
        <source>Translate</source>
        <translation>Übersetzen</translation>
    </message>
    <message>
        <source>Translate the following text into {language}. Keep its tone:

{text}</source>
        <translation>Übersetze den folgenden Text ins {Sprache}. Behalte den Ton:

{Text}</translation>
    </message>
    <message>
        <source>Correct spelling</source>
        <translation>Rechtschreibung prüfen</translation>
    </message>
    <message>
        <source>Correct spelling and grammar of the following text, and list what you changed:

{text}</source>
        <translation>Verbessere Rechtschreibung und Grammatik des folgenden Textes und liste auf, was du geändert hast:

{Text}</translation>
    </message>
    <message>
        <source>Rewrite</source>
        <translation>Umschreiben</translation>
    </message>
    <message>
        <source>Rewrite the following text so that it is {shorter or friendlier}:

{text}</source>
        <translation>Schreibe den folgenden Text um, sodass er {kürzer oder freundlicher} ist:

{Text}</translation>
    </message>
    <message>
        <source>Write an e-mail</source>
        <translation>E-Mail schreiben</translation>
    </message>
    <message>
        <source>Write an e-mail to {recipient} that says: {message}</source>
        <translation>Schreibe eine E-Mail an {Empfänger}, die sagt: {Inhalt}</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Write a polite reply to the following message that says {answer}:

{text}</source>
        <translation>Schreibe eine höfliche Antwort auf die folgende Nachricht, die {Antwort} sagt:

{Text}</translation>
    </message>
    <message>
        <source>Brainstorm</source>
        <translation>Ideen sammeln</translation>
    </message>
    <message>
        <source>Give me ten different ideas for {goal}. One line each.</source>
        <translation>Gib mir zehn verschiedene Ideen für {Ziel}. Je eine Zeile.</translation>
    </message>
    <message>
        <source>For and against</source>
        <translation>Für und wider</translation>
    </message>
    <message>
        <source>List the best arguments for and against {question}, then weigh them.</source>
        <translation>Nenne die besten Argumente für und gegen {Frage} und wäge sie ab.</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Planen</translation>
    </message>
    <message>
        <source>Make a step-by-step plan for {goal} in {time}. Name what could go wrong.</source>
        <translation>Mache einen Plan in Schritten für {Ziel} in {Zeit}. Nenne, was schiefgehen könnte.</translation>
    </message>
    <message>
        <source>Explain code</source>
        <translation>Code erklären</translation>
    </message>
    <message>
        <source>Explain what the following code does, and point out mistakes:

{code}</source>
        <translation>Erkläre, was der folgende Code tut, und weise auf Fehler hin:

{Code}</translation>
    </message>
    <message>
        <source>Quiz me</source>
        <translation>Frag mich ab</translation>
    </message>
    <message>
        <source>Ask me ten questions about {topic}, one at a time, and tell me how I did.</source>
        <translation>Stelle mir zehn Fragen über {Thema}, eine nach der anderen, und sage mir, wie ich war.</translation>
    </message>
    <message>
        <source>Prompt “%1” replaced</source>
        <translation>Vorlage „%1“ ersetzt</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::QuoteFinder</name>
    <message>
        <source>%1, page %2</source>
        <translation>%1, Seite %2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>This answer quotes nothing.</source>
        <translation>Diese Antwort zitiert nichts.</translation>
    </message>
    <message>
        <source>All of its quotes stand in the documents.</source>
        <translation>Alle ihre Zitate stehen in den Dokumenten.</translation>
    </message>
    <message>
        <source>Of its quotes (%1), so many stand in the documents: %2.</source>
        <translation>Von ihren Zitaten (%1) stehen so viele in den Dokumenten: %2.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::RunningAnswers</name>
    <message>
        <source>The answer reached its length limit.</source>
        <translation>Die Antwort hat ihre größte Länge erreicht.</translation>
    </message>
    <message>
        <source>The model&apos;s context is full.</source>
        <translation>Der Kontext des Modells ist voll.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::SavePlace</name>
    <message>
        <source>Type a name for the file.</source>
        <translation>Bitte einen Namen für die Datei eingeben.</translation>
    </message>
    <message>
        <source>There is no folder %1.</source>
        <translation>Einen Ordner %1 gibt es nicht.</translation>
    </message>
    <message>
        <source>Nothing can be written in %1.</source>
        <translation>In %1 kann nichts geschrieben werden.</translation>
    </message>
    <message>
        <source>%1 is not a file and cannot be replaced.</source>
        <translation>%1 ist keine Datei und kann nicht ersetzt werden.</translation>
    </message>
    <message>
        <source>This name is too long.</source>
        <translation>Dieser Name ist zu lang.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::Services</name>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>Link copied: %1</source>
        <translation>Adresse kopiert: %1</translation>
    </message>
    <message>
        <source>%1 is ready</source>
        <translation>%1 ist bereit</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::Settings</name>
    <message>
        <source>Settings restored</source>
        <translation>Einstellungen wiederhergestellt</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::SettingsFeature</name>
    <message>
        <source>The language could not be stored; it holds until you quit.</source>
        <translation>Die Sprache konnte nicht gespeichert werden; sie gilt bis zum Beenden.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::SmallerModel</name>
    <message>
        <source>%1, as published: %2. Use it as it is, or make it smaller: %3.</source>
        <translation>%1, wie veröffentlicht: %2. Verwenden Sie es, wie es ist, oder verkleinern Sie es: %3.</translation>
    </message>
    <message>
        <source>%1: %2. Use it as it is, or make it smaller: %3.</source>
        <translation>%1: %2. Verwenden Sie es, wie es ist, oder verkleinern Sie es: %3.</translation>
    </message>
    <message>
        <source>The smaller file takes %1 in %2.</source>
        <translation>Die kleinere Datei braucht %1 in %2.</translation>
    </message>
    <message>
        <source>Making %1 smaller: %2%</source>
        <translation>%1 wird verkleinert: %2 %</translation>
    </message>
    <message>
        <source>less than a minute left</source>
        <translation>noch weniger als eine Minute</translation>
    </message>
    <message numerus="yes">
        <source>about %n minutes left</source>
        <translation>
            <numerusform>noch etwa %n Minute</numerusform>
            <numerusform>noch etwa %n Minuten</numerusform>
        </translation>
    </message>
    <message>
        <source>The disk is full, and nothing was kept.</source>
        <translation>Der Datenträger ist voll, und nichts wurde behalten.</translation>
    </message>
    <message>
        <source>Stopped; nothing was kept.</source>
        <translation>Angehalten; nichts wurde behalten.</translation>
    </message>
    <message>
        <source>The smaller %1 is ready.</source>
        <translation>Das kleinere %1 ist fertig.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>Make it smaller</source>
        <translation>Verkleinern</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::SpokenAnswer</name>
    <message>
        <source>New conversation</source>
        <translation>Neues Gespräch</translation>
    </message>
    <message>
        <source>It is thinking.</source>
        <translation>Es denkt nach.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::StartPage</name>
    <message>
        <source>Looking at the file…</source>
        <translation>Prüft die Datei …</translation>
    </message>
    <message>
        <source>Drop a model here</source>
        <translation>Modell hier ablegen</translation>
    </message>
    <message>
        <source>Loading %1</source>
        <translation>%1 wird geladen</translation>
    </message>
    <message>
        <source>%1 is not where it was</source>
        <translation>%1 ist nicht mehr an seinem Ort</translation>
    </message>
    <message>
        <source>%1 could not be loaded</source>
        <translation>%1 konnte nicht geladen werden</translation>
    </message>
    <message>
        <source>Ask the guide</source>
        <translation>Fragen Sie den Lotsen</translation>
    </message>
    <message>
        <source>Drop it again from where it is now.</source>
        <translation>Legen Sie sie von ihrem neuen Ort aus wieder hier ab.</translation>
    </message>
    <message>
        <source>It is a very small model that knows Inglenook and nothing else. For everything else, drop a model file on this window.</source>
        <translation>Er ist ein sehr kleines Modell, das Inglenook kennt und sonst nichts. Für alles andere ziehen Sie eine Modelldatei auf dieses Fenster.</translation>
    </message>
    <message>
        <source>It answers on this computer, and nowhere else.</source>
        <translation>Es antwortet auf diesem Rechner und nirgends sonst.</translation>
    </message>
    <message>
        <source>Explain in simple words:</source>
        <translation>Erkläre in einfachen Worten:</translation>
    </message>
    <message>
        <source>Write an e-mail that says:</source>
        <translation>Schreibe eine E-Mail, in der steht:</translation>
    </message>
    <message>
        <source>Summarise this text:</source>
        <translation>Fasse diesen Text zusammen:</translation>
    </message>
    <message>
        <source>Choose a model…</source>
        <translation>Modell wählen …</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>Modell öffnen …</translation>
    </message>
    <message>
        <source>GGUF and rwkv.cpp files run from where they lie. Everything stays on this computer: Inglenook opens no internet connections.</source>
        <translation>Dateien von GGUF und rwkv.cpp laufen dort, wo sie liegen. Alles bleibt auf diesem Rechner: Inglenook öffnet keine Verbindungen ins Internet.</translation>
    </message>
    <message>
        <source>What you ask is sent to %1.</source>
        <translation>Was Sie fragen, wird an %1 gesendet.</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::TextSaver</name>
    <message>
        <source>Saved as %1</source>
        <translation>Gespeichert als %1</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::TitleMaker</name>
    <message>
        <source>Named “%1”</source>
        <translation>„%1“ genannt</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::TrashModel</name>
    <message>
        <source>The trash is empty.</source>
        <translation>Der Papierkorb ist leer.</translation>
    </message>
    <message>
        <source>Gone for good after %1 days.</source>
        <translation>Nach %1 Tagen endgültig gelöscht.</translation>
    </message>
    <message>
        <source>one day left</source>
        <translation>noch ein Tag</translation>
    </message>
    <message>
        <source>%1 days left</source>
        <translation>noch %1 Tage</translation>
    </message>
    <message>
        <source>From “%1” on · %2</source>
        <translation>Ab „%1“ · %2</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Inglenook is open already, but %1.</source>
        <translation>Inglenook ist schon geöffnet, aber %1.</translation>
    </message>
    <message>
        <source>The folder for conversations %1. Fix the permissions, or choose another folder with --data-dir.</source>
        <translation>Der Ordner für Gespräche %1. Ändern Sie die Rechte, oder wählen Sie mit --data-dir einen anderen Ordner.</translation>
    </message>
</context>
</TS>
