<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE">
<context>
    <name>AnswerState</name>
    <message>
        <source>Reading the conversation… %1%</source>
        <translation>Liest das Gespräch … %1 %</translation>
    </message>
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
        <source>Continue</source>
        <translation>Fortsetzen</translation>
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
    <name>Card</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>ChatView</name>
    <message>
        <source>Conversations</source>
        <translation>Gespräche</translation>
    </message>
    <message>
        <source>Settings (%1)</source>
        <translation>Einstellungen (%1)</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>To the newest message</source>
        <translation>Zur neuesten Nachricht</translation>
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
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
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
        <source>Stop the answer (%1)</source>
        <translation>Antwort anhalten (%1)</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>Senden (Eingabe)</translation>
    </message>
</context>
<context>
    <name>ConversationRow</name>
    <message>
        <source>%1, pinned</source>
        <translation>%1, angeheftet</translation>
    </message>
    <message>
        <source>New title</source>
        <translation>Neuer Titel</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>Weitere Aktionen</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
</context>
<context>
    <name>EmptyState</name>
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
        <source>What is on your mind?</source>
        <translation>Was beschäftigt dich?</translation>
    </message>
    <message>
        <source>GGUF and rwkv.cpp files run from where they lie. Everything stays on this computer: Inglenook cannot reach the network.</source>
        <translation>Dateien von GGUF und rwkv.cpp laufen dort, wo sie liegen. Alles bleibt auf diesem Rechner: Inglenook kann das Netz nicht erreichen.</translation>
    </message>
    <message>
        <source>%1 answers on this computer, and nowhere else.</source>
        <translation>%1 antwortet auf diesem Rechner und nirgends sonst.</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Modell wählen</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Datei wählen</translation>
    </message>
    <message>
        <source>Drop it again from where it is now.</source>
        <translation>Lege sie von ihrem neuen Ort aus wieder hier ab.</translation>
    </message>
    <message>
        <source>Ask the guide</source>
        <translation>Frag den Lotsen</translation>
    </message>
    <message>
        <source>It is a very small model that knows Inglenook and nothing else. For everything else, drop a model file on this window.</source>
        <translation>Er ist ein sehr kleines Modell, das Inglenook kennt und sonst nichts. Für alles andere zieh eine Modelldatei auf dieses Fenster.</translation>
    </message>
</context>
<context>
    <name>FitCard</name>
    <message>
        <source>This command writes a smaller file beside it; open that one then:</source>
        <translation>Dieser Befehl schreibt daneben eine kleinere Datei, die dann zu öffnen ist:</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>Befehl kopieren</translation>
    </message>
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
    <name>HelpCard</name>
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
        <translation>Nichts gefunden. Vielleicht weiß es der Lotse: Frag ihn in einer Unterhaltung.</translation>
    </message>
</context>
<context>
    <name>Main</name>
    <message>
        <source>Drop to use this model</source>
        <translation>Loslassen, um dieses Modell zu verwenden</translation>
    </message>
</context>
<context>
    <name>MessageActions</name>
    <message>
        <source>Previous version</source>
        <translation>Vorige Fassung</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>Nächste Fassung</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Edit and ask again</source>
        <translation>Ändern und neu fragen</translation>
    </message>
    <message>
        <source>%1 · %2 tokens · %3 per second</source>
        <translation>%1 · %2 Token · %3 je Sekunde</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Another answer (%1)</source>
        <translation>Andere Antwort (%1)</translation>
    </message>
</context>
<context>
    <name>MessageItem</name>
    <message>
        <source>You: %1</source>
        <translation>Du: %1</translation>
    </message>
    <message>
        <source>Answer: %1</source>
        <translation>Antwort: %1</translation>
    </message>
    <message>
        <source>The model no longer sees the messages above</source>
        <translation>Das Modell sieht die Nachrichten darüber nicht mehr</translation>
    </message>
</context>
<context>
    <name>ModelButton</name>
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
        <source>Model: %1</source>
        <translation>Modell: %1</translation>
    </message>
    <message>
        <source>Models (%1)</source>
        <translation>Modelle (%1)</translation>
    </message>
</context>
<context>
    <name>ModelLibrary</name>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Drop a file anywhere on the window, or give its path:</source>
        <translation>Lege eine Datei irgendwo auf dem Fenster ab oder gib ihren Pfad an:</translation>
    </message>
    <message>
        <source>Path of a model file</source>
        <translation>Pfad einer Modelldatei</translation>
    </message>
    <message>
        <source>/path/to/model.gguf</source>
        <translation>/pfad/zum/modell.gguf</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen …</translation>
    </message>
    <message>
        <source>Choose a model file</source>
        <translation>Modelldatei wählen</translation>
    </message>
</context>
<context>
    <name>ModelRow</name>
    <message>
        <source>%1, in use</source>
        <translation>%1, in Gebrauch</translation>
    </message>
    <message>
        <source>Forget this model (the file stays)</source>
        <translation>Dieses Modell vergessen (die Datei bleibt)</translation>
    </message>
</context>
<context>
    <name>ReasoningBlock</name>
    <message>
        <source>Thinking…</source>
        <translation>Denkt nach …</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>Gedanken</translation>
    </message>
    <message>
        <source>Hide the thoughts</source>
        <translation>Gedanken verbergen</translation>
    </message>
    <message>
        <source>Show the thoughts</source>
        <translation>Gedanken zeigen</translation>
    </message>
</context>
<context>
    <name>SettingsCard</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
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
        <source>Instructions before every conversation</source>
        <translation>Anweisungen vor jedem Gespräch</translation>
    </message>
    <message>
        <source>Temperature (0 always takes the likeliest word)</source>
        <translation>Temperatur (0 nimmt stets das wahrscheinlichste Wort)</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Choose among the likeliest (0 means all)</source>
        <translation>Auswahl aus den wahrscheinlichsten (0: alle)</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <source>Share of probability to choose from</source>
        <translation>Anteil der Wahrscheinlichkeit, aus dem gewählt wird</translation>
    </message>
    <message>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <source>Seed (empty: a new one for every answer)</source>
        <translation>Startwert (leer: für jede Antwort ein neuer)</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>Threads (0: one per core); from the next load</source>
        <translation>Threads (0: einer je Kern); ab dem nächsten Laden</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Context in tokens</source>
        <translation>Kontext in Token</translation>
    </message>
    <message>
        <source>Restore defaults</source>
        <translation>Vorgaben wiederherstellen</translation>
    </message>
    <message>
        <source>All shortcuts: %1</source>
        <translation>Alle Tastenkürzel: %1</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Context in tokens (0: as memory allows); from the next load</source>
        <translation>Kontext in Token (0: so viel der Speicher erlaubt); ab dem nächsten Laden</translation>
    </message>
</context>
<context>
    <name>ShortcutKeys</name>
    <message>
        <source>Enter</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Umschalt+Eingabe</translation>
    </message>
</context>
<context>
    <name>ShortcutsCard</name>
    <message>
        <source>Shortcuts</source>
        <translation>Tastenkürzel</translation>
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
        <source>Rename the conversation</source>
        <translation>Gespräch umbenennen</translation>
    </message>
    <message>
        <source>Pin the conversation</source>
        <translation>Gespräch anheften</translation>
    </message>
    <message>
        <source>Delete the conversation</source>
        <translation>Gespräch löschen</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>All shortcuts</source>
        <translation>Alle Tastenkürzel</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>New conversation (%1)</source>
        <translation>Neues Gespräch (%1)</translation>
    </message>
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
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>No conversations yet</source>
        <translation>Noch keine Gespräche</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>%1 tokens per second</source>
        <translation>%1 Token je Sekunde</translation>
    </message>
    <message>
        <source>context %1 of %2</source>
        <translation>Kontext %1 von %2</translation>
    </message>
</context>
<context>
    <name>TableBlock</name>
    <message>
        <source>Table with %1 rows</source>
        <translation>Tabelle mit %1 Zeilen</translation>
    </message>
</context>
<context>
    <name>Toast</name>
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
    <name>UserBubble</name>
    <message>
        <source>Edit your message</source>
        <translation>Nachricht ändern</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>Deine Nachricht</translation>
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
    <name>ingle::desktop::AppModel</name>
    <message>
        <source>Link copied: %1</source>
        <translation>Adresse kopiert: %1</translation>
    </message>
</context>
<context>
    <name>ingle::desktop::ChatController</name>
    <message>
        <source>The answer waits: %1</source>
        <translation>Die Antwort wartet: %1</translation>
    </message>
    <message>
        <source>The history was written by a newer Inglenook; it can be read but not changed.</source>
        <translation>Der Verlauf stammt von einem neueren Inglenook; er kann gelesen, aber nicht geändert werden.</translation>
    </message>
    <message>
        <source>The answer reached its length limit.</source>
        <translation>Die Antwort hat ihre größte Länge erreicht.</translation>
    </message>
    <message>
        <source>The model&apos;s context is full.</source>
        <translation>Der Kontext des Modells ist voll.</translation>
    </message>
    <message>
        <source>Set it aside and start a new history</source>
        <translation>Beiseitelegen und einen neuen Verlauf beginnen</translation>
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
        <source>Conversation deleted</source>
        <translation>Gespräch gelöscht</translation>
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
    <name>ingle::desktop::FitAdvice</name>
    <message>
        <source>%1 MB</source>
        <translation>%1 MB</translation>
    </message>
    <message>
        <source>%1 GB</source>
        <translation>%1 GB</translation>
    </message>
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
    <name>ingle::desktop::ModelListModel</name>
    <message>
        <source>The engine stopped unexpectedly and was started again.</source>
        <translation>Die Engine ist unerwartet stehen geblieben und wurde neu gestartet.</translation>
    </message>
    <message>
        <source>The engine stopped twice; it now runs on the processor with its plainest code.</source>
        <translation>Die Engine ist zweimal stehen geblieben; sie läuft jetzt auf dem Prozessor mit ihrem einfachsten Code.</translation>
    </message>
    <message>
        <source>Only files on this computer can be opened.</source>
        <translation>Nur Dateien auf diesem Rechner können geöffnet werden.</translation>
    </message>
    <message numerus="yes">
        <source>Only the first of %n files is opened.</source>
        <translation>
            <numerusform>Nur die erste von %n Datei wird geöffnet.</numerusform>
            <numerusform>Nur die erste von %n Dateien wird geöffnet.</numerusform>
        </translation>
    </message>
    <message>
        <source>The file of %1 has changed since it was last used.</source>
        <translation>Die Datei von %1 hat sich seit der letzten Verwendung geändert.</translation>
    </message>
    <message>
        <source>The file %1 is gone. Drop it again from where it is now.</source>
        <translation>Die Datei %1 ist fort. Lege sie von ihrem neuen Ort aus wieder hier ab.</translation>
    </message>
    <message>
        <source>This file has no tokenizer, so it cannot chat.</source>
        <translation>Diese Datei hat keinen Tokenizer und kann darum nicht chatten.</translation>
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
</context>
<context>
    <name>main</name>
    <message>
        <source>Inglenook is open already, but %1.</source>
        <translation>Inglenook ist schon geöffnet, aber %1.</translation>
    </message>
    <message>
        <source>The folder for conversations %1. Mend that, or choose another folder with --data-dir.</source>
        <translation>Der Ordner für Gespräche: %1. Beheben Sie das, oder wählen Sie mit --data-dir einen anderen.</translation>
    </message>
</context>
</TS>
