// What belongs to the person: bringing chats in and taking them out, backups, and where every byte lies.
import QtQuick
import QtQuick.Dialogs
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property ChatImport importer
    required property BackupList backups
    required property DataPlaces places
    required property Actions actions
    required property DesktopPortal portal

    objectName: "dataCard"
    title: qsTr("Your data")
    width: Math.min(560, parent.width - 2 * Theme.l)
    onOpened: backups.refresh()

    function chooseFile() {
        fileDialog.open();
    }

    FileDialog {
        id: fileDialog
        title: qsTr("Chats of another program, or an export of Inglenook")
        nameFilters: [qsTr("All files (*)"), qsTr("Chats (*.json *.chat *.db *.sqlite)")]
        onAccepted: card.importer.open(selectedFile)
    }
    FolderDialog {
        id: folderDialog
        title: qsTr("The folder that a program keeps chats in")
        onAccepted: card.importer.open(selectedFolder)
    }

    component Section: Text {
        textFormat: Text.PlainText
        Layout.fillWidth: true
        Layout.topMargin: Theme.m
        color: Theme.mutedText
        font.pixelSize: Theme.smallSize - 1
        font.weight: Font.DemiBold
        Accessible.role: Accessible.Heading
        Accessible.name: text
    }
    component Words: Text {
        textFormat: Text.PlainText
        Layout.fillWidth: true
        color: Theme.text
        font.pixelSize: Theme.smallSize
        wrapMode: Text.Wrap
    }

    body: Flickable {
        id: page
        implicitHeight: column.implicitHeight
        contentHeight: column.implicitHeight
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ScrollThumb {}

        ColumnLayout {
            id: column
            width: page.width - Theme.m // beside the scroll bar
            spacing: Theme.s

            Section {
                Layout.topMargin: 0
                text: qsTr("Bring chats in")
            }
            Words {
                text: qsTr("From %1, or an export of Inglenook: what the program exports (ChatGPT's archive unpacked), "
                         + "or where it keeps its chats. You can also drop it on the window. Nothing is written "
                         + "before you have seen what is in it.").arg(card.importer.programs)
            }
            Flow {
                Layout.fillWidth: true
                spacing: Theme.s

                TextButton {
                    objectName: "importFile"
                    text: qsTr("Choose a file…")
                    onClicked: card.chooseFile()
                }
                TextButton {
                    objectName: "importFolder"
                    text: qsTr("Choose a folder…")
                    onClicked: folderDialog.open()
                }
            }

            Section {
                text: qsTr("Take chats out")
            }
            Words {
                text: qsTr("As text, as a page to print, or with all there is. One conversation alone: in its menu.")
            }
            TextButton {
                objectName: "exportButton"
                text: qsTr("Export…")
                onClicked: card.actions.run("exportAll")
            }

            Section {
                text: qsTr("Backups")
            }
            Words {
                objectName: "backupSentence"
                text: card.backups.sentence
            }
            Repeater {
                model: card.backups
                delegate: BackupRow {
                    Layout.fillWidth: true
                    backups: card.backups
                }
            }
            TextButton {
                objectName: "backUpNow"
                text: card.backups.busy ? qsTr("Working…") : qsTr("Back up now")
                enabled: !card.backups.busy
                onClicked: card.backups.backUp()
            }

            Section {
                text: qsTr("Where it lies")
            }
            Words {
                objectName: "placesSentence"
                text: card.places.sentence
            }
            Repeater {
                model: card.places
                delegate: PlaceRow {
                    Layout.fillWidth: true
                    places: card.places
                    portal: card.portal
                }
            }
        }
    }
}
