// Where a file goes that the person saves: the desktop's own dialog, and where it has none, this one. A file that is
// there is replaced only after a question that names it.
import Qt.labs.folderlistmodel
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property SavePlace place
    required property TextSaver saver
    property string proposed
    property var then: null

    /// `then` is called with the file, and whether it is to be replaced.
    function ask(heading: string, name: string, answer: var) {
        title = heading;
        proposed = name;
        then = answer;
        place.ask(heading, name);
    }

    function saveText(heading: string, name: string, text: string) {
        ask(heading, name, (file, replace) => saver.save(text, file, replace));
    }
    function saveCode(text: string, label: string) {
        saveText(qsTr("Save the code"), saver.codeName(label), text);
    }

    objectName: "saveDialog"
    title: ""
    width: Math.min(560, room.width - 2 * Theme.l)
    onClosed: then = null

    Connections {
        target: card.place
        function onUnanswered() {
            card.open();
        }
        function onCancelled() {
            card.then = null;
        }
        function onChosen(file, replace) {
            const answer = card.then;
            card.close();
            card.then = null;
            if (answer)
                answer(file, replace);
        }
    }

    body: ColumnLayout {
        id: body

        property string problem: ""
        property url taken: ""  ///< what is there, while it is asked whether to replace it
        readonly property bool asking: String(taken).length > 0

        function save() {
            problem = "";
            taken = "";
            card.place.look(nameField.text);
        }
        function propose() {
            nameField.text = card.proposed;
            nameField.forceActiveFocus();
            const ending = card.proposed.lastIndexOf(".");
            nameField.select(0, ending > 0 ? ending : card.proposed.length);
        }

        spacing: Theme.m
        Component.onCompleted: propose()

        Connections {
            target: card.place
            function onTaken(file) {
                body.taken = file;
                keep.forceActiveFocus(Qt.TabFocusReason);
            }
            function onRefused(sentence) {
                body.problem = sentence;
            }
            function onEntered() {
                body.propose();
            }
            function onFolderChanged() {
                body.taken = "";
            }
        }

        InputField {
            id: nameField
            objectName: "saveName"
            Layout.fillWidth: true
            label: qsTr("Name")
            onTextEdited: {
                body.problem = "";
                body.taken = "";
            }
            onAccepted: body.save()
        }
        RowLayout {
            Layout.fillWidth: true
            spacing: Theme.xs

            Text {
                objectName: "saveFolder"
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: qsTr("in %1").arg(card.place.folderText)
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
                elide: Text.ElideMiddle
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
            IconButton {
                objectName: "saveUp"
                iconName: "chevron-up"
                hint: qsTr("The folder around it")
                onClicked: card.place.goUp()
            }
        }
        Rectangle {
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.minimumHeight: Theme.controlSize
            implicitHeight: 5.5 * Theme.controlSize
            radius: Theme.radius
            color: Theme.surface

            ListView {
                id: list
                objectName: "saveFiles"
                anchors.fill: parent
                anchors.margins: Theme.xs
                clip: true
                activeFocusOnTab: true
                boundsBehavior: Flickable.StopAtBounds
                model: FolderListModel {
                    folder: card.place.folder
                    showDirsFirst: true
                    caseSensitive: false
                }
                Accessible.role: Accessible.List
                Accessible.name: qsTr("Folders and files")
                T.ScrollBar.vertical: ScrollThumb {}
                Keys.onReturnPressed: (currentItem as T.ItemDelegate)?.clicked()
                Keys.onEnterPressed: (currentItem as T.ItemDelegate)?.clicked()
                delegate: T.ItemDelegate {
                    id: row

                    required property int index
                    required property string fileName
                    required property url fileUrl
                    required property bool fileIsDir

                    objectName: "saveEntry-" + fileName
                    width: list.width - (list.contentHeight > list.height ? Theme.m : 0)  // beside the scroll bar
                    height: Theme.controlSize
                    leftPadding: Theme.s
                    rightPadding: Theme.s
                    hoverEnabled: true
                    highlighted: list.activeFocus && ListView.isCurrentItem
                    Accessible.role: Accessible.ListItem
                    Accessible.name: fileIsDir ? qsTr("Folder %1").arg(fileName) : fileName
                    onClicked: {
                        list.currentIndex = index;
                        if (fileIsDir)
                            card.place.folder = fileUrl;
                        else
                            nameField.text = fileName;
                    }

                    contentItem: RowLayout {
                        spacing: Theme.s

                        Icon {
                            name: row.fileIsDir ? "folder" : "file"
                            color: Theme.mutedText
                            width: Theme.iconSize(17)
                            height: Theme.iconSize(17)
                        }
                        Text {
                            textFormat: Text.PlainText
                            Layout.fillWidth: true
                            text: row.fileName
                            color: row.fileIsDir ? Theme.text : Theme.mutedText
                            font.pixelSize: Theme.smallSize
                            elide: Text.ElideMiddle
                        }
                    }
                    background: Rectangle {
                        radius: Theme.radius - 2
                        color: row.hovered || row.highlighted ? Theme.hover : "transparent"

                        FocusRing {
                            shown: row.highlighted
                        }
                    }
                }
            }
        }
        Text {
            objectName: "saveProblem"
            textFormat: Text.PlainText
            Layout.fillWidth: true
            visible: text.length > 0
            text: {
                if (!body.asking)
                    return body.problem;
                return qsTr("There is a file %1 here already. Replace it?").arg(card.place.nameOf(body.taken));
            }
            color: body.asking ? Theme.text : Theme.danger
            font.pixelSize: Theme.smallSize
            wrapMode: Text.WrapAtWordBoundaryOrAnywhere
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        Flow {
            Layout.fillWidth: true
            layoutDirection: Qt.RightToLeft
            spacing: Theme.s

            TextButton {
                objectName: "saveReplace"
                visible: body.asking
                text: qsTr("Replace")
                Keys.onReturnPressed: clicked()
                Keys.onEnterPressed: clicked()
                onClicked: card.place.chosen(body.taken, true)
            }
            TextButton {
                id: keep
                objectName: "saveKeep"
                visible: body.asking
                prominent: true
                text: qsTr("Choose another name")
                Keys.onReturnPressed: clicked()
                Keys.onEnterPressed: clicked()
                onClicked: {
                    body.taken = "";
                    nameField.forceActiveFocus();
                    nameField.selectAll();
                }
            }
            TextButton {
                objectName: "saveButton"
                visible: !body.asking
                prominent: true
                enabled: nameField.text.trim().length > 0
                text: qsTr("Save")
                Keys.onReturnPressed: clicked()
                Keys.onEnterPressed: clicked()
                onClicked: body.save()
            }
            TextButton {
                objectName: "saveCancel"
                visible: !body.asking
                text: qsTr("Cancel")
                Keys.onReturnPressed: clicked()
                Keys.onEnterPressed: clicked()
                onClicked: card.close()
            }
        }
    }
}
