// Where somebody says in which file, or folder, chats of another program are.
import QtQuick
import QtQuick.Dialogs
import Inglenook

QtObject {
    id: dialogs

    required property ChatImport importer

    function chooseFile() {
        file.open();
    }
    function chooseFolder() {
        folder.open();
    }

    property FileDialog file: FileDialog {
        title: qsTr("Chats of another program, or an export of Inglenook")
        nameFilters: [qsTr("All files (*)"), qsTr("Chats (*.json *.chat *.db *.sqlite)")]
        onAccepted: dialogs.importer.open(selectedFile)
    }
    property FolderDialog folder: FolderDialog {
        title: qsTr("The folder that a program keeps chats in")
        onAccepted: dialogs.importer.open(selectedFolder)
    }
}
