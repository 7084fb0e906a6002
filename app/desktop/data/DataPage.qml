// What belongs to the person: bringing chats in and taking them out, backups, and where every byte lies.
import QtQuick
import QtQuick.Layouts
import Inglenook

Page {
    id: page

    required property AppModel app
    readonly property ChatImport importer: app.data.chatImport
    readonly property BackupList backups: app.data.backups
    readonly property DataPlaces places: app.data.places

    function takeFocus() {
        importFile.forceActiveFocus();
    }

    objectName: "dataPage"
    title: qsTr("Your data")
    Component.onCompleted: backups.refresh()

    ImportDialogs {
        id: dialogs
        importer: page.importer
    }

    component Section: Text {
        textFormat: Text.PlainText
        Layout.fillWidth: true
        Layout.topMargin: Theme.m
        color: Theme.text
        font.pixelSize: Theme.textSize
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

    PageColumn {
        margin: page.margin
        spacing: Theme.s

        Section {
            Layout.topMargin: 0
            text: qsTr("Import chats")
        }
        Words {
            text: qsTr("From %1, or an export of Inglenook: what the program exports (ChatGPT's archive unpacked), "
                     + "or where it keeps its chats. You can also drop it on the window. Nothing is written "
                     + "before you have seen what is in it.").arg(page.importer.programs)
        }
        Flow {
            Layout.fillWidth: true
            spacing: Theme.s

            TextButton {
                id: importFile
                objectName: "importFile"
                focus: true
                text: qsTr("Choose a file…")
                onClicked: dialogs.chooseFile()
            }
            TextButton {
                objectName: "importFolder"
                text: qsTr("Choose a folder…")
                onClicked: dialogs.chooseFolder()
            }
        }

        Section {
            text: qsTr("Export")
        }
        Words {
            text: qsTr("As text, as a page to print, or with all there is. One conversation alone: in its menu.")
        }
        TextButton {
            objectName: "exportButton"
            text: qsTr("Export…")
            onClicked: page.app.services.actions.run("exportAll")
        }

        Section {
            text: qsTr("Backups")
        }
        Words {
            objectName: "backupSentence"
            text: page.backups.sentence
        }
        Repeater {
            model: page.backups
            delegate: BackupRow {
                Layout.fillWidth: true
                backups: page.backups
            }
        }
        TextButton {
            objectName: "backUpNow"
            text: page.backups.busy ? qsTr("Working…") : qsTr("Back up now")
            enabled: !page.backups.busy
            onClicked: page.backups.backUp()
        }

        Section {
            text: qsTr("Where it lies")
        }
        Words {
            objectName: "placesSentence"
            text: page.places.sentence
        }
        Repeater {
            model: page.places
            delegate: PlaceRow {
                Layout.fillWidth: true
                places: page.places
                portal: page.app.services.portal
            }
        }
    }
}
